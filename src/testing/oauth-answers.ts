/* The possible responses of the authorization endpoint. */
import { expect } from 'bun:test';

/** An error page for the user: the client's redirect URI cannot be trusted. */
export async function isErrorPage(response: Response): Promise<void> {
  expect([response.status, response.headers.has('location')]).toEqual([400, false]);
  expect(response.headers.get('content-type')).toStartWith('text/html');
}

/** The `error` in the redirect. */
export async function errorOf(response: Response): Promise<string> {
  expect([303, await response.text()]).toEqual([response.status, '']);
  return new URL(response.headers.get('location') ?? '').searchParams.get('error') ?? 'none';
}

/** The consent page. @returns its HTML */
export async function isConsent(response: Response): Promise<string> {
  const html = await response.text();
  expect([response.status, html.includes('name="handle"')]).toEqual([200, true]);
  return html;
}
