/* The page of a sign-in link, and its button. */
import { Elysia } from 'elysia';
import { pageHeaders } from '../../core/html-page.ts';
import type { BrowserGuard } from '../../http/browser-guard.ts';
import { clientInfo } from '../../http/client-info.ts';
import type { SessionCookie } from '../../http/cookie.ts';
import { bodyOf } from '../../http/fetch-adapter.ts';
import type { Gate } from '../../http/gate.ts';
import { operation } from '../../http/operation.ts';
import { foreignFormPage, invalidLinkPage, linkPage, linkPath } from './pages.ts';
import type { SignInLinksService } from './service.ts';

const page = (status: number, html: string): Response => new Response(html, { status, headers: pageHeaders() });
// With `no-referrer` the form's Origin would be `null`, but browsers without Sec-Fetch-Site are checked by Origin.
const formHeaders = { ...pageHeaders("'self'"), 'referrer-policy': 'same-origin' };

export const signInLinkRoutes = (options: {
  gate: Pick<Gate, 'recheck'>;
  cookie: SessionCookie;
  browserGuard: Pick<BrowserGuard, 'isOwnChange'>;
  signInLinks: SignInLinksService;
}) => {
  const { gate, cookie, browserGuard, signInLinks } = options;
  return new Elysia({ prefix: linkPath })
    .get('', async ({ request }) => {
      const token = new URL(request.url, 'http://internal').searchParams.get('token') ?? '';
      const email = await signInLinks.emailOf(token);
      if (email === undefined) return page(404, invalidLinkPage());
      return new Response(linkPage({ email, token }), { headers: formHeaders });
    })
    .post(
      '',
      async ({ request }) => {
        if (!browserGuard.isOwnChange(request)) return page(403, foreignFormPage());
        const token = new URLSearchParams(Buffer.from(await bodyOf(request)).toString()).get('token') ?? '';
        const client = clientInfo(request, await gate.recheck(request));
        const session = await signInLinks.signIn(token, client);
        if (session === undefined) return page(404, invalidLinkPage());
        const headers = { location: '/app', 'set-cookie': cookie.set(session), 'cache-control': 'no-store' };
        return new Response(null, { status: 303, headers });
      },
      {
        parse: 'none',
        ...operation({
          operationId: 'signInWithLink',
          permission: 'signIn',
          security: [],
          audit: { action: 'session.started_link', type: 'account', alsoAfter: [303] },
          summary: 'Sign in with a link',
          description: 'The button of the page that the link opens.',
        }),
      },
    );
};
