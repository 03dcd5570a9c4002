/* The results of the tools `get_event` and `get_schema`. */
import { pick } from '../../core/pick.ts';
import { firstCharacters } from '../../core/text.ts';
import type { EventExcerpt } from '../events/excerpt.ts';
import type { SchemasService } from '../schemas/service.ts';
import { answerBytes, fitHeaders, maxPathCharacters, type ToolContext } from './answer-size.ts';
import { type Input, maxResultBytes, notice, type Output } from './model.ts';

const maxQueryCharacters = 4096;
const maxDestinationCharacters = 500;
const maxReplays = 5;

/** @param bodyOffset where in the body the excerpt begins */
export function toEventResult(event: EventExcerpt, bodyOffset: number): Output<'get_event'> {
  const { headers, truncated: areHeadersTruncated } = fitHeaders(event.headers);
  const withBody = (body: string): Output<'get_event'> => ({
    notice,
    ...pick(event, 'id', 'endpointId', 'eventType', 'platform', 'method', 'receivedAt', 'size', 'sha256'),
    ...pick(event, 'signatureValid', 'pin', 'tags'),
    path: firstCharacters(event.path, maxPathCharacters),
    query: event.query === null ? null : firstCharacters(event.query, maxQueryCharacters),
    headers,
    signatureReason: event.signature?.reason ?? null,
    body,
    bodyEncoding: event.encoding,
    bodyOffset,
    bodyTotal: event.totalCharacters,
    truncated:
      areHeadersTruncated ||
      bodyOffset > 0 ||
      bodyOffset + body.length < event.totalCharacters ||
      event.path.length > maxPathCharacters ||
      (event.query?.length ?? 0) > maxQueryCharacters,
    replays: event.replays.slice(0, maxReplays).map(replay => ({
      ...pick(replay, 'status', 'ok', 'durationMs', 'createdAt'),
      destination: firstCharacters(replay.destination, maxDestinationCharacters),
    })),
  });
  // JSON escapes make a text up to six times as long: halve the body until the result fits.
  let body = event.text;
  while (body !== '' && answerBytes(withBody(body)) > maxResultBytes) body = body.slice(0, Math.floor(body.length / 2));
  return withBody(body);
}

export const createGetSchema =
  (schemas: Pick<SchemasService, 'list' | 'schema'>) =>
  async ({ principal }: ToolContext, given: Input<'get_schema'>): Promise<Output<'get_schema'>> => {
    const { endpointId, type, platform, as = 'typescript' } = given;
    if (type === undefined)
      return fit({ notice, schemas: await schemas.list(principal, endpointId), text: null, truncated: false });
    const { schema, text } = await schemas.schema(principal, endpointId, { type, platform, as });
    return fit({ notice, schemas: [schema], text, truncated: false });
  };

/** Shortens the list or the text until the result fits. */
function fit(answer: Output<'get_schema'>): Output<'get_schema'> {
  let fitting = answer;
  while (answerBytes(fitting) > maxResultBytes) {
    const { schemas, text } = fitting;
    fitting = {
      ...fitting,
      schemas: text === null ? schemas.slice(0, Math.floor(schemas.length * 0.8)) : schemas,
      text: text === null ? null : text.slice(0, Math.floor(text.length * 0.8)),
      truncated: true,
    };
  }
  return fitting;
}
