/*
 * Files with captured text. The text may be hostile, so browsers must not run or render it, guess its type, or store it.
 */
export const sandboxed = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

export const download = (
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
  fileName: string,
  headers: Record<string, string>,
): Response =>
  new Response(body, {
    headers: { 'content-disposition': `attachment; filename="${fileName}"`, ...headers, ...sandboxed },
  });

/** JSON text in place of a value. Elysia sends a Response as it is, but its types expect what the schema says. */
export const jsonText = (text: ReadableStream<Uint8Array>): never =>
  new Response(text, { headers: { 'content-type': 'application/json;charset=utf-8' } }) as never;
