/* The text of a body that is JSON. */
import { isUtf8 } from 'node:buffer';
import { asBuffer } from '../../../core/encoding/buffer.ts';
import { endOfByteOrderMark, skipSpace } from '../../../core/json/bytes.ts';
import { validateJson } from '../../../core/json/validator.ts';

const sliceBytes = 128 << 10;
/** The bytes with which a JSON text can begin. */
const firstBytes = new Set(Buffer.from('{["-0123456789tfn'));

/** The text without a byte order mark; undefined when the body is not JSON in UTF-8. Yields from time to time. */
export function* readJsonText(body: Uint8Array): Generator<undefined, string | undefined> {
  const start = endOfByteOrderMark(body);
  if (!firstBytes.has(body[skipSpace(body, start)] ?? 0)) return undefined;
  const isValid = yield* validateJson(body, { start, sliceBytes });
  return isValid && isUtf8(body) ? asBuffer(body).toString('utf8', start) : undefined;
}
