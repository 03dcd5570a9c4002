/* Header fields of requests and responses that clients need to know. */
import { type HeaderObject, mapOperations, mapValues, type Parameter, type Refinement } from './document.ts';

const text = (description: string, required = false): HeaderObject => ({
  description,
  ...(required && { required }),
  schema: { type: 'string' },
});

const sessionCookie = { 'Set-Cookie': text('The session cookie.', true) };
const etag = { ETag: text('The version of the position, for `If-Match`.', true) };
const answerEtag = { ETag: text('The version of the answer, for `If-None-Match`.', true) };
const fileName = (example: string) => ({
  'Content-Disposition': text(`Names the file, as in \`attachment; filename="${example}"\`.`, true),
});

/** Of successful responses, by operation id. */
const successHeaders: Record<string, Record<string, HeaderObject>> = {
  listEndpoints: answerEtag,
  getOverview: answerEtag,
  exportEndpoint: fileName('service-{id}.json'),
  getConsumer: etag,
  putConsumer: etag,
  getEventBody: fileName('{id}.bin'),
  signIn: sessionCookie,
  signOut: { 'Set-Cookie': text('Removes the session cookie.', true) },
  changePassword: { 'Set-Cookie': text('The cookie of a new session, for a caller with a session.') },
  setUp: sessionCookie,
  acceptInvitation: sessionCookie,
};

const challenge = text('How to authenticate (RFC 6750), when a bearer credential is missing, invalid or insufficient.');
const retryAfter: HeaderObject = {
  description: 'Seconds to wait.',
  schema: { type: 'integer', minimum: 1, format: 'int32' },
};

/** The headers of the responses of every operation, by status. */
const statusHeaders: Record<string, Record<string, HeaderObject>> = {
  401: { 'WWW-Authenticate': challenge },
  403: { 'WWW-Authenticate': challenge },
  405: { Allow: text('The methods that the path accepts.', true) },
  429: { 'Retry-After': { ...retryAfter, required: true } },
  503: { 'Retry-After': retryAfter },
};

/** Operations that answer `If-None-Match`. */
const conditional = ['listEndpoints', 'getOverview'];
const notModified = {
  304: { description: 'Nothing has changed since the answer with this ETag.', headers: answerEtag },
};

export const responseHeaders: Refinement = document =>
  mapOperations(document, operation => ({
    ...operation,
    responses: mapValues(
      { ...operation.responses, ...(conditional.includes(operation.operationId) && notModified) },
      (response, status) => {
        const headers = {
          ...statusHeaders[status],
          ...(status.startsWith('2') && successHeaders[operation.operationId]),
          ...response.headers,
        };
        return Object.keys(headers).length === 0 ? response : { ...response, headers };
      },
    ),
  }));

const condition = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});
const ifMatch = condition('If-Match', 'The ETag that the consumer must still have, or `*`: it must exist. Else 412.');

const ifNoneMatch = condition('If-None-Match', 'The ETag of an earlier answer: 304 if nothing has changed since.');

/** By operation id. */
const headerParameters: Record<string, Parameter[]> = {
  ...Object.fromEntries(conditional.map(operation => [operation, [ifNoneMatch]])),
  putConsumer: [ifMatch, condition('If-None-Match', '`*`: the consumer must not exist. Else 412.')],
  deleteConsumer: [ifMatch],
  streamEvents: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description:
        'The id of the newest event that the client has: the stream continues after it. Empty: from the first event. Browsers send it when they reconnect; it takes precedence over `lastEventId`.',
      schema: { type: 'string' },
    },
  ],
};

export const requestHeaders: Refinement = document =>
  mapOperations(document, operation => {
    const own = headerParameters[operation.operationId];
    return own ? { ...operation, parameters: [...(operation.parameters ?? []), ...own] } : operation;
  });
