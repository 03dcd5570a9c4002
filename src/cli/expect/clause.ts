/* The value that made an event fail a term of a filter: `its type is ping`. The caller escapes texts of the event. */
import { countMatches, createJsonPaths } from '../../core/filter/json-fields.ts';
import { result } from '../../core/filter/steps.ts';
import { firstGraphemes } from '../../core/text.ts';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import type { ColumnTerm, ContentField, Term } from '../../shared/filter/filter.ts';
import { timeText } from '../client/output.ts';

const maxShown = 60;
const maxValues = 3;

/** @param detail undefined when it could not be read */
export function actualValue(term: Term, event: EventSummary, detail: EventDetail | undefined): string | undefined {
  if (term.on === 'column') return columnValue(term, event, detail);
  if (term.on === 'text') return `"${shortened(term.text)}" is not in its type or payload`;
  if (!detail) return undefined;
  const name = nameOf(term);
  const values = contentValues(term, detail);
  if (values === undefined) return undefined;
  if (values.length === 0) return `it has no ${name}`;
  const shown = values.slice(0, maxValues).map(shortened).join(', ');
  return `its ${name} is ${shown}${values.length > maxValues ? ', …' : ''}`;
}

function columnValue(term: ColumnTerm, event: EventSummary, detail: EventDetail | undefined): string | undefined {
  switch (term.column) {
    case 'type':
      return event.eventType === null ? 'it has no type' : `its type is ${shortened(event.eventType)}`;
    case 'platform':
      return event.platform === null ? 'its platform is unknown' : `its platform is ${event.platform}`;
    case 'method':
      return `its method is ${event.method}`;
    case 'path':
      return `its path is ${shortened(JSON.stringify(event.path))}`;
    case 'tag':
      return event.tags.length === 0 ? 'it has no tags' : `its tags are ${event.tags.map(shortened).join(', ')}`;
    case 'size':
      return `its body has ${event.size} bytes`;
    case 'received':
      return `it was received at ${timeText(event.receivedAt)}`;
    case 'attempt':
      return `it is attempt ${event.delivery.attempt}`;
    case 'ip':
      return detail && `it came from ${detail.sourceIp}`;
    case 'verdict':
      return verdictText(event, detail);
    default:
      return undefined;
  }
}

const reasons: Record<string, string> = {
  no_secret: 'no secret is saved for its platform',
  unconfirmed_secret: 'its secret is not confirmed yet',
  wrong_secret_or_altered_body: 'it was made with another secret, or the body was changed',
  timestamp_out_of_tolerance: 'its timestamp is too far from the time of receipt',
  malformed_header: 'its signature header is malformed',
  unsupported: 'this kind of signature is not supported',
  redacted: 'it was imported after redaction rules had taken something out of it',
};

function verdictText({ verdict }: EventSummary, detail: EventDetail | undefined): string {
  const found = detail?.signature?.verdict ?? verdict;
  if (found === null || found === undefined) return 'its signature was not checked';
  if (found === 'none') return 'it has no signature';
  const reason = detail?.signature?.reason;
  const because = reason == null ? '' : `: ${reasons[reason] ?? reason}`;
  return `its signature is ${found}${because}`;
}

const nameOf = (field: ContentField): string =>
  field.field === 'body' ? `body.${field.name}` : `${field.field}.${field.key}`;

/** The values as written; undefined if only the server can read the fields of this body. */
function contentValues(field: ContentField, detail: EventDetail): string[] | undefined {
  if (field.field === 'header')
    return detail.rawHeaders.flatMap(([name, value]) => (name.toLowerCase() === field.key ? [value] : []));
  if (field.field === 'query') return detail.params.flatMap(([name, value]) => (name === field.key ? [value] : []));
  if (detail.payload === null && detail.payloadRaw.trim() !== 'null') return undefined;
  const body = Buffer.from(detail.payloadRaw, detail.payloadEncoding);
  const values: string[] = [];
  const collect = (bytes: Uint8Array, start: number, end: number): boolean => {
    values.push(Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, 1024)).toString('utf8'));
    return true;
  };
  const test = { isPresence: false, matchesText: () => false, matchesJson: collect };
  result(countMatches(body, createJsonPaths([{ path: field.path, test }])));
  return values;
}

function shortened(text: string): string {
  const short = firstGraphemes(text, maxShown);
  return short === text ? text : `${short}…`;
}
