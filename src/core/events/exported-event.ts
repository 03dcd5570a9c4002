/* Reads one event of a JSON export (interface "Export files"), if capture could have stored it. Header rules are applied. */
import { Type as t } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { faults, maxDelayMs } from '../../shared/answers.ts';
import { maxNameCharacters } from '../../shared/limits.ts';
import { type Answered, refusals, type StoredOutcome } from '../answers/model.ts';
import { decodeBody } from '../encoding/body-encoding.ts';
import { sha256 } from '../encoding/sha256.ts';
import { inField, invalidAt, invalidFields } from '../errors.ts';
import { applyHeaderRules } from '../headers.ts';
import { maxEventTypeCharacters, maxRedactedFields } from '../limits.ts';
import { problemsOf } from '../read-fields.ts';
import { literals, nullable } from '../schemas.ts';
import { firstCharacters, isPlainText } from '../text.ts';
import { readPin, readTags } from './event-marks.ts';
import { pinFields, Tags } from './marks-schema.ts';

export type ImportedEvent = ReturnType<typeof readEvent>;

/** The largest time that a list cursor can encode: about 35,000 years from 1970. */
const maxTime = 2 ** 50;
const Time = t.Integer({ minimum: -maxTime, maximum: maxTime, problem: 'must be a time in milliseconds' });
/** @param form without flags: `t.RegExp` has them, but takes a number for its text */
const Text = (form: RegExp, problem: string) => t.String({ pattern: form.source, problem });

const Answer = t.Object({
  status: nullable(t.Integer({ minimum: 100, maximum: 599 })),
  rule: nullable(t.String({ maxLength: maxNameCharacters })),
  delayMs: t.Integer({ minimum: 0, maximum: maxDelayMs }),
  fault: nullable(literals(faults)),
  limited: t.Boolean(),
});

const ExportedEvent = t.Object({
  receivedAt: Time,
  // The limit is longer than any method that capture accepts.
  method: Text(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be an HTTP method'),
  path: Text(
    /^(?:\/[\x21-\x3e\x40-\x7e\x80-\xff]*)?$/,
    'must be empty, or begin with / and have no ?, spaces, control characters or characters beyond Latin-1',
  ),
  query: t.Optional(
    nullable(Text(/^[\x21-\x7e\x80-\xff]*$/, 'must have no spaces, control characters or characters beyond Latin-1')),
  ),
  rawHeaders: t.Array(
    t.Tuple(
      [
        Text(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header'),
        // biome-ignore lint/suspicious/noControlCharactersInRegex: a field value cannot contain NUL
        Text(/^[^\u0000\r\n\u0100-\uffff]*$/, 'must have no line breaks, NUL or characters beyond Latin-1'),
      ],
      { problem: 'must be a pair of a name and a value' },
    ),
  ),
  platform: t.Optional(nullable(Text(/^[a-z0-9][a-z0-9._-]{0,49}$/, 'must be the lower-case name of a platform'))),
  eventType: t.Optional(nullable(t.String())),
  payloadRaw: t.String(),
  payloadEncoding: literals(['utf8', 'base64']),
  sha256: t.Optional(nullable(t.String())),
  pin: t.Optional(nullable(t.Object({ ...pinFields, pinnedAt: Time }))),
  tags: t.Optional(nullable(Tags)),
  /** Exports of earlier versions do not contain the responses to senders. */
  answered: t.Optional(nullable(Answer)),
  /** Counts only beside `answered`. */
  refused: t.Optional(t.Unknown()),
  redacted: t.Optional(
    nullable(
      t.Object({
        rules: t.Integer({ minimum: 1, maximum: 1000 }),
        fields: t.Array(t.String({ maxLength: 10_000 }), { maxItems: maxRedactedFields }),
        sha256: nullable(Text(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')),
      }),
    ),
  ),
});
/** Compiled for the first event, because an import can have millions of them. */
let compiled: TypeCheck<typeof ExportedEvent> | undefined;

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the purpose
const forbiddenInType = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;
/** Capture removes bidirectional control characters; exports of 1.0.0 may still have them. */
const removedFromType = /\p{Bidi_Control}/gu;

/** @throws invalid, with the paths of the fields */
export function readEvent(value: unknown) {
  compiled ??= TypeCompiler.Compile(ExportedEvent);
  if (!compiled.Check(value)) throw invalidFields(problemsOf(compiled.Errors(value), value));
  const { receivedAt, method, path, rawHeaders, payloadRaw, payloadEncoding, pin } = value;
  const body: Uint8Array = decodeBody(payloadRaw, payloadEncoding, 'payloadRaw');
  const digest = sha256(body);
  if (value.sha256 != null && value.sha256 !== Buffer.from(digest).toString('hex'))
    throw invalidAt(['payloadRaw'], 'does not match sha256', 'payloadRaw does not match sha256');
  return {
    receivedAt,
    method,
    path,
    query: value.query ?? null,
    headers: applyHeaderRules(rawHeaders),
    platform: value.platform ?? null,
    /** Undefined when the file does not have it. */
    eventType: value.eventType == null ? value.eventType : readEventType(value.eventType),
    body,
    sha256: digest,
    pin: pin ? { ...inField(['pin'], () => readPin(pin)), pinnedAt: pin.pinnedAt } : null,
    tags: readTags(value.tags ?? []),
    outcome: value.answered ? readOutcome(value.answered, value.refused ?? null) : null,
    /** What was taken out of it before it was exported. */
    redacted: value.redacted ?? null,
  };
}

function readEventType(given: string): string | null {
  if (forbiddenInType.test(given)) throw invalidAt(['eventType'], 'must be valid Unicode without control characters');
  return firstCharacters(given.replace(removedFromType, ''), maxEventTypeCharacters) || null;
}

/** @returns null for the answer that most events get */
function readOutcome({ status, rule, delayMs, fault, limited }: Answered, refused: unknown): StoredOutcome {
  if (rule !== null && !isPlainText(rule)) throw invalidAt(['answered', 'rule'], 'must not contain control characters');
  const known = refusals.find(one => one === refused) ?? null;
  if (known !== refused) throw invalidAt(['refused'], `must be ${refusals.join(', ')} or null`);
  const isUsual = status === 200 && rule === null && delayMs === 0 && fault === null && !limited && known === null;
  return isUsual ? null : { answered: { status, rule, delayMs, fault, limited }, refused: known };
}
