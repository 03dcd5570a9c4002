/*
 * Headers of files with captured text. The text may be hostile, so browsers must not run or render it, guess its type, or store
 * it.
 */
export const sandboxed = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;
