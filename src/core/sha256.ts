/** SHA-256 (FIPS 180-4). @returns 32 bytes */
export const sha256 = (bytes: Uint8Array): Uint8Array =>
  Bun.SHA256.hash(bytes as Uint8Array<ArrayBuffer>) as Uint8Array;
