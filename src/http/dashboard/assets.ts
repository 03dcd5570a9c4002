/*
 * The dashboard's files with their headers. They come from the HTML import: embedded in the executable, or bundled at the first
 * request when run from source. Files with a hash in their name are cached for ever, the page never.
 */
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import html from '../../ui/index.html';
import { chooseEncoding } from '../accept-encoding.ts';
import { withScriptNonce } from '../script-nonce.ts';

export type Asset = { status: number; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> };

/** The response for a path, in the best encoding that `acceptEncoding` allows; undefined when there is no such file. */
export type Assets = (pathname: string, options?: AssetOptions) => Asset | undefined;
export type AssetOptions = {
  acceptEncoding?: string | null;
  /** For the page: its URL is a setup link that is not valid. It says so before the user fills in the form. */
  isWrongSetupLink?: boolean;
};

const contentSecurityPolicy = (scriptSource: string): string =>
  [
    "default-src 'none'",
    `script-src ${scriptSource}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

const securityHeaders = {
  'content-security-policy': contentSecurityPolicy("'none'"),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

type File = {
  type: string;
  /** The policy of the page, which permits its scripts. */
  policy?: Record<string, string>;
  cacheControl: string;
  body: Uint8Array<ArrayBuffer>;
  encoded: Map<string, Uint8Array<ArrayBuffer>>;
};

/** Paths of the single-page application. */
const isPagePath = (pathname: string): boolean => /^\/(app(\/.*)?|setup|login)?$/.test(pathname);

let loaded: Promise<Assets> | undefined;

/** Loads all files, once in a process. From source this bundles the dashboard, which takes some tenths of a second. */
export function loadAssets(): Promise<Assets> {
  loaded ??= readAssets();
  return loaded;
}

async function readAssets(): Promise<Assets> {
  const { page, files } = await readFiles();
  return (pathname, { acceptEncoding, isWrongSetupLink = false } = {}) => {
    const file = isPagePath(pathname) ? pageFor(page, isWrongSetupLink) : files.get(pathname);
    if (!file) return undefined;
    const encoding =
      file.body.length < minEncodedBytes ? undefined : chooseEncoding(acceptEncoding ?? null, ['br', 'gzip']);
    const headers: Record<string, string> = {
      'content-type': file.type,
      'cache-control': file.cacheControl,
      vary: 'accept-encoding',
      ...securityHeaders,
      ...file.policy,
    };
    if (!encoding) return { status: 200, headers, body: file.body };
    return { status: 200, headers: { ...headers, 'content-encoding': encoding }, body: encode(file, encoding) };
  };
}

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

type Files = { page: File; files: Map<string, File> };

async function readFiles(): Promise<Files> {
  const files = new Map<string, File>();
  const add = async (path: string, blob: Blob): Promise<void> => {
    const type = contentTypes[path.slice(path.lastIndexOf('.') + 1)];
    if (!type) return;
    const html = path.endsWith('.html');
    files.set(html ? '/' : `/${basename(path)}`, {
      type,
      // Passwords are typed into the page, and its URL may contain the token of a setup link or an invitation.
      cacheControl: html ? 'no-store' : 'public, max-age=31536000, immutable',
      body: new Uint8Array(await blob.arrayBuffer()),
      encoded: new Map(),
    });
  };
  // Bun's types know the page only as a route; in an executable it lists its files.
  const { files: embedded } = html as { files?: { path: string }[] };
  if (embedded) for (const { path } of embedded) await add(path, Bun.file(path));
  else for (const output of await bundle()) await add(output.path, output);
  const page = files.get('/');
  if (!page) throw new Error('the dashboard is not part of this build');
  files.delete('/');
  return { page: { ...page, body: bytesOf(withPreloads(textOf(page), files)) }, files };
}

const textOf = (file?: File): string => new TextDecoder().decode(file?.body);
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A copy of the page for one response. */
function pageFor(page: File, isWrongSetupLink: boolean): File {
  const text = isWrongSetupLink
    ? textOf(page).replace('</head>', '<meta name="setup-link" content="wrong"></head>')
    : textOf(page);
  const { html, scriptSource } = withScriptNonce(text);
  const policy = { 'content-security-policy': contentSecurityPolicy(scriptSource) };
  return { ...page, body: bytesOf(html), encoded: new Map(), policy };
}

/**
 * Names the files that the page's script imports at its start, so that browsers fetch them together with it. Files that are
 * imported with `import()` are fetched when they are needed.
 */
function withPreloads(html: string, files: ReadonlyMap<string, File>): string {
  const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path = '']) => path);
  const imported = scripts.flatMap(path =>
    [...textOf(files.get(path)).matchAll(/\b(?:from|import) ?"(\/[\w.-]+\.js)"/g)].map(([, found = '']) => found),
  );
  const links = [...new Set(imported)].filter(path => files.has(path) && !scripts.includes(path));
  return html.replace(
    '</head>',
    `${links.map(path => `<link rel="modulepreload" crossorigin href="${path}">`).join('')}</head>`,
  );
}

async function bundle(): Promise<Bun.BuildArtifact[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../ui/index.html')],
    target: 'browser',
    publicPath: '/',
    minify: true,
    // Modules that the dashboard imports with `import()` are separate files, as in an executable.
    splitting: true,
  });
  return outputs;
}

const minEncodedBytes = 512;

/** Compresses each file once per encoding, on first use, at levels that take little time. */
const encode = (file: File, encoding: 'br' | 'gzip'): Uint8Array<ArrayBuffer> => {
  const known = file.encoded.get(encoding);
  if (known) return known;
  const compressed =
    encoding === 'gzip'
      ? gzipSync(file.body, { level: 6 })
      : brotliCompressSync(file.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const bytes = new Uint8Array(compressed);
  file.encoded.set(encoding, bytes);
  return bytes;
};
