/* Headers of files with captured text. It is hostile: no browser may run or render it, guess its type, or keep a copy. */
export const sandboxed = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;
