/*
 * The error responses that every operation can have, wherever in the server they come from, and the description of each status.
 * The responses of an operation itself take precedence.
 */

import { isAllowedToApps } from '../../core/access/permissions.ts';
import { protocolRefusals } from '../connection/protocol-errors.ts';
import { declaredOnlyRefusals } from '../declared-only.ts';
import { gateRefusals } from '../gate.ts';
import { bodyRefusals } from '../request-body.ts';
import type { DeclaredOperation } from '../route-table.ts';
import { ErrorBody, InvalidBody } from '../schemas.ts';
import { mapOperations, mapValues, type Refinement, type ResponseObject, type Schema } from './document.ts';

/** An unexpected error (errors.ts). */
const internalError = 500;

const descriptions: Record<string, string> = {
  200: 'Done',
  201: 'Created',
  400: 'Invalid input: the body, a query parameter or the path',
  401: 'Credentials missing, invalid or revoked',
  403: 'A limit of the plan or account is reached, the role or the scope of the access token does not allow it, or a browser sent the request for another site',
  404: 'Does not exist, or belongs to another team or account',
  405: 'The path accepts only the methods that `Allow` lists',
  408: 'The request did not arrive in time',
  409: 'Conflicts with existing data',
  410: 'Was there, and is not kept',
  412: 'Has changed since the version in `If-Match`, or exists although `If-None-Match` says that it must not',
  413: 'Too large',
  415: 'With a session or at sign-in: the content type is not application/json',
  417: 'The request expects something other than `100-continue`',
  421: 'With a session or at sign-in: the Host header does not name this server',
  429: 'Rate limit exceeded, or too many concurrent requests of this kind',
  431: 'The header fields are too large',
  500: 'An internal error; the server log has the cause',
  502: 'The destination could not be reached',
  503: 'Try again later',
};

const damaged = 'The stored body of the event is damaged, or another internal error';

/** By operation id, where a status has a meaning of its own. */
const ownDescriptions: Record<string, Record<string, string>> = {
  getEvent: { 500: damaged },
  getEventBody: { 200: 'The body, byte for byte', 500: damaged },
  replayEvent: { 200: 'The destination answered with any status', 500: damaged },
  exportEndpoint: { 200: 'The file, streamed, oldest event first' },
  streamEvents: { 200: 'A stream that does not end by itself' },
  getSession: { 200: 'Signed in', 401: 'Not signed in, or an invalid bearer token' },
};

const errorResponse = (status: number): ResponseObject => ({
  description: '',
  content: {
    'application/json': { schema: JSON.parse(JSON.stringify(status === 400 ? InvalidBody : ErrorBody)) as Schema },
  },
});

export const commonResponses: Refinement = document =>
  mapOperations(document, (operation, method) => {
    const statuses = [
      ...gateRefusals(method.toUpperCase()),
      ...declaredOnlyRefusals,
      ...protocolRefusals,
      ...(operation.requestBody ? bodyRefusals : []),
      internalError,
    ];
    const common = Object.fromEntries(statuses.map(status => [status, errorResponse(status)]));
    return { ...operation, responses: { ...common, ...operation.responses } };
  });

const closedToApps = 'A connected app, or an API key that one made, may not do this';
const closedToReaders = 'A read-only API key may not do this';

/** The callers that get 403 for the operation even with a valid request. */
const closedTo = ({ permission, reads }: DeclaredOperation): string[] => [
  ...(isAllowedToApps(permission) ? [] : [closedToApps]),
  ...(reads ? [] : [closedToReaders]),
];

export const responseDescriptions = (declared: readonly DeclaredOperation[]): Refinement => {
  const closed = new Map(declared.map(operation => [operation.operationId, closedTo(operation)]));
  return document =>
    mapOperations(document, operation => ({
      ...operation,
      responses: mapValues(operation.responses, (response, status) => {
        const description = ownDescriptions[operation.operationId]?.[status] ?? descriptions[status] ?? 'Response';
        const refusals = status === '403' ? (closed.get(operation.operationId) ?? []) : [];
        return { ...response, description: [...refusals, description].join('. ') };
      }),
    }));
};
