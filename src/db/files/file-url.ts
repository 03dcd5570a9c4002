/* Between a file's path and the `file:` URL that libSQL takes, which it percent-decodes. */
import { fileURLToPath } from 'node:url';

/** @param path absolute, or relative to the working directory */
export const toFileUrl = (path: string): string => `file:${path.split('/').map(encodeURIComponent).join('/')}`;

/** The path behind a `file:` URL, relative ones against the working directory; undefined for other schemes. */
export function fromFileUrl(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  return url.startsWith('file://') ? fileURLToPath(url) : decodeURIComponent(url.slice('file:'.length));
}
