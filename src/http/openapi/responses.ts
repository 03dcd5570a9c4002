/*
 * Refusals that any operation may answer, wherever in the server they come from, and what each status means. An operation's own
 * answers go before them.
 */
import { isAllowedToApps } from '../../core/app-permissions.ts';
import { protocolRefusals } from '../connection/protocol-errors.ts';
import { declaredOnlyRefusals } from '../declared-only.ts';
import { gateRefusals } from '../gate.ts';
import { bodyRefusals } from '../request-body.ts';
import { ErrorBody } from '../schemas.ts';
import { mapOperations, mapValues, type Refinement, type ResponseObject, type Schema } from './document.ts';

/** What errors.ts makes of a defect. */
const defect = 500;

const descriptions: Record<string, string> = {
  200: 'Done',
  201: 'Created',
  400: 'Invalid input: a body, a query parameter or a path that the operation does not take',
  401: 'Credentials missing, invalid or revoked',
  403: 'A limit of the plan or account is reached, the role or the scope of the access token does not allow it, or a browser asks for another site',
  404: 'Does not exist, or belongs to somebody else',
  405: 'The path takes other methods: those that `Allow` names',
  408: 'The request did not arrive in time',
  409: 'In conflict with what exists',
  413: 'Too large',
  415: 'With a session, or signing in: the content type is not application/json',
  417: 'The request expects something other than `100-continue`',
  421: 'With a session, or signing in: not a name of this server',
  429: 'Rate limit exceeded, or too many of these at once',
  431: 'The header fields are too large',
  500: 'A failure of the server, which is in its log',
  502: 'The destination could not be reached at all',
  503: 'Try again later',
};

const damaged = 'The event is damaged: the disk has altered its stored body. Or another failure of the server';

/** By operation, where a status means something of its own. */
const ownDescriptions: Record<string, Record<string, string>> = {
  getEvent: { 500: damaged },
  getEventBody: { 200: 'The body, byte for byte', 500: damaged },
  replayEvent: { 200: 'The destination answered, with whatever status', 500: damaged },
  exportEndpoint: { 200: 'The file, streamed: oldest event first' },
  streamEvents: { 200: 'A stream that does not end by itself' },
  getSession: { 200: 'Signed in', 401: 'Not signed in, or a bearer token that does not hold' },
};

const errorResponse = (): ResponseObject => ({
  description: '',
  content: { 'application/json': { schema: JSON.parse(JSON.stringify(ErrorBody)) as Schema } },
});

export const commonResponses: Refinement = document =>
  mapOperations(document, (operation, method) => {
    const statuses = [
      ...gateRefusals(method.toUpperCase()),
      ...declaredOnlyRefusals,
      ...protocolRefusals,
      ...(operation.requestBody ? bodyRefusals : []),
      defect,
    ];
    const common = Object.fromEntries(statuses.map(status => [status, errorResponse()]));
    return { ...operation, responses: { ...common, ...operation.responses } };
  });

const closedToApps = 'A connected app, or an API key that one made, may not do this';

export const responseDescriptions: Refinement = document =>
  mapOperations(document, (operation, method, path) => ({
    ...operation,
    responses: mapValues(operation.responses, (response, status) => {
      const description = ownDescriptions[operation.operationId]?.[status] ?? descriptions[status] ?? 'Answer';
      const isClosed = status === '403' && !isAllowedToApps(method.toUpperCase(), path);
      return { ...response, description: isClosed ? `${closedToApps}. ${description}` : description };
    }),
  }));
