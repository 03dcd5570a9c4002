/*
 * Which headers a rule's answer may have. Answers come from the origin of the ingest URL, which may be that of the dashboard, so no
 * header may change how a browser treats that origin: no cookies, no policies that stay, no access for scripts of other origins. Nor
 * may one give orders to a reverse proxy.
 */
import { connectionFields, isFieldValue, isToken } from '../headers.ts';
import { maxHeaderCharacters } from './limits.ts';

/** In every answer that a rule chose, with any body. */
export const securityFields: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "sandbox; default-src 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

const ours = [...securityFields.map(([name]) => name.toLowerCase()), 'content-length', 'date'];
const ofOrigin = [
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'service-worker-allowed',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'content-security-policy-report-only',
  'accept-ch',
  'critical-ch',
  'speculation-rules',
  'set-login',
  'use-as-dictionary',
  'secure-session-registration',
  'sec-session-registration',
];
/** With these a server tells the proxy in front of it to send a file, or the answer of another place, that is not public. */
const ofProxy = ['x-sendfile', 'x-sendfile2', 'x-lighttpd-send-file', 'x-lighttpd-send-tempfile', 'x-reproxy-url'];
const refused = new Set<string>([...ours, ...ofOrigin, ...ofProxy, ...connectionFields]);
const refusedPrefixes = ['access-control-', 'proxy-', 'attribution-reporting-', 'x-accel-'];

/** Types of bodies whose parts have headers, which browsers may apply. Found anywhere, as readers differ in where types end. */
const typeWithHeaders =
  /(?<![\w.+-])(?:(?:multipart|message)\s*\/|application\s*\/\s*(?:http|signed-exchange|webbundle|x-mimearchive)(?![\w.+-]))/i;

const maxNameCharacters = 100;

/** The problem with a header; undefined when a rule may set it. */
export function problemOfHeader(name: string, value: string): string | undefined {
  if (!isToken(name) || name.length > maxNameCharacters) return 'is not the name of a header';
  const lower = name.toLowerCase();
  if (refused.has(lower) || refusedPrefixes.some(prefix => lower.startsWith(prefix))) return 'cannot be set by a rule';
  if (value.length > maxHeaderCharacters || !isFieldValue(value))
    return `must be at most ${maxHeaderCharacters} characters of Latin-1, without line breaks`;
  if (lower === 'content-type' && typeWithHeaders.test(value))
    return 'cannot be a type whose parts have headers of their own, such as multipart/*';
  return undefined;
}
