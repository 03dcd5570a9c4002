/* File paths as `file:` URLs, which libSQL percent-decodes. */
import { fileURLToPath } from 'node:url';

/** @param path absolute, or relative to the working directory */
export const toFileUrl = (path: string): string => `file:${path.split('/').map(encodeURIComponent).join('/')}`;

/** The path of a `file:` URL, absolute or relative to the working directory; undefined for other schemes. */
export function fromFileUrl(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  return url.startsWith('file://') ? fileURLToPath(url) : decodeURIComponent(url.slice('file:'.length));
}
