/** The same bytes as a `Buffer`, on the same memory; one that is a `Buffer` already costs nothing. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
