/** The bytes as a `Buffer` on the same memory; a `Buffer` is returned as it is. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes as text of one character each, as HTTP/1.1 carries paths, queries and header values. */
export const latin1 = (bytes: Uint8Array): string => asBuffer(bytes).toString('latin1');
