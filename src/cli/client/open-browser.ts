/* Opens a page in the user's browser, without a shell. */
import { platform } from 'node:os';
import type { Io } from '../io.ts';
import { variable } from '../parse-arguments.ts';

/** The program and its arguments before the URL; undefined without a screen. */
function openerOf(io: Pick<Io, 'env'>): string[] | undefined {
  const browser = variable(io, 'BROWSER');
  if (browser !== undefined) return [browser];
  if (platform() === 'darwin') return ['open'];
  if (platform() === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return variable(io, 'DISPLAY') || variable(io, 'WAYLAND_DISPLAY') ? ['xdg-open'] : undefined;
}

/** @returns false if no browser can be opened */
export function openBrowser(io: Pick<Io, 'env'>, url: string): boolean {
  const opener = openerOf(io);
  if (!opener) return false;
  try {
    Bun.spawn([...opener, url], {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { ...io.env } as Record<string, string>,
    }).unref();
    return true;
  } catch {
    return false;
  }
}
