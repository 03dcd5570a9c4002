/* Arguments packed into one buffer (tag byte and content each), because cloning many values costs more than the insert. */
import type { InValue } from '@libsql/client';

const tags = { null: 0, number: 1, bigint: 2, text: 3, bytes: 4, false: 5, true: 6 } as const;

function bytesOf(value: ArrayBuffer | ArrayBufferView): Uint8Array {
  // Reading `.buffer` of a small array makes the engine move its bytes, and nearly all values are a Uint8Array.
  if (value instanceof Uint8Array) return value;
  return value instanceof ArrayBuffer
    ? new Uint8Array(value)
    : new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
}

/** An upper bound of the packed size: a tag, a length, and the worst case of UTF-8. */
function maxPackedBytes(value: InValue): number {
  if (typeof value === 'string') return 5 + value.length * 3;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return 5 + value.byteLength;
  return 9;
}

/** @throws TypeError or RangeError for undefined, NaN, an infinity, or an integer of more than 64 bits */
export function packArguments(args: readonly InValue[]): ArrayBuffer {
  let maxBytes = 0;
  for (const value of args) maxBytes += maxPackedBytes(value);
  const buffer = Buffer.allocUnsafeSlow(maxBytes);
  let at = 0;
  const writeTag = (tag: number): void => {
    buffer[at++] = tag;
  };
  for (const value of args) {
    if (value === null) writeTag(tags.null);
    else if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not an SQL value`);
      writeTag(tags.number);
      at = buffer.writeDoubleLE(value, at);
    } else if (typeof value === 'string') {
      writeTag(tags.text);
      const length = buffer.write(value, at + 4, 'utf8');
      buffer.writeUInt32LE(length, at);
      at += 4 + length;
    } else if (typeof value === 'bigint') {
      writeTag(tags.bigint);
      at = buffer.writeBigInt64LE(value, at);
    } else if (typeof value === 'boolean') writeTag(value ? tags.true : tags.false);
    else if (value instanceof Date) {
      writeTag(tags.number);
      at = buffer.writeDoubleLE(value.valueOf(), at);
    } else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      const bytes = bytesOf(value);
      writeTag(tags.bytes);
      at = buffer.writeUInt32LE(bytes.length, at);
      buffer.set(bytes, at);
      at += bytes.length;
    } else throw new TypeError(`${typeof value} is not an SQL value`);
  }
  return buffer.buffer as ArrayBuffer;
}

/** @param count how many values were packed @returns byte values are views of `packed` */
export function unpackArguments(packed: ArrayBuffer, count: number): InValue[] {
  const buffer = Buffer.from(packed);
  const args = new Array<InValue>(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    switch (buffer[at++]) {
      case tags.null:
        args[i] = null;
        break;
      case tags.number:
        args[i] = buffer.readDoubleLE(at);
        at += 8;
        break;
      case tags.bigint:
        args[i] = buffer.readBigInt64LE(at);
        at += 8;
        break;
      case tags.false:
      case tags.true:
        args[i] = buffer[at - 1] === tags.true;
        break;
      default: {
        const isText = buffer[at - 1] === tags.text;
        const start = at + 4;
        at = start + buffer.readUInt32LE(at);
        args[i] = isText ? buffer.toString('utf8', start, at) : buffer.subarray(start, at);
      }
    }
  }
  return args;
}
