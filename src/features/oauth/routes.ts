/*
 * The HTTP endpoints of the authorization server. Bodies are read here, because the framework would merge repeated parameters.
 * Each endpoint handles all methods itself: 405 for a wrong one, and a response to CORS preflights.
 */
import { Elysia } from 'elysia';
import { AppError } from '../../core/errors.ts';
import { contentSecurityPolicy, pageHeaders, stylesheetPath } from '../../core/html-page.ts';
import { decodeUtf8 } from '../../core/text.ts';
import type { BrowserGuard } from '../../http/browser-guard.ts';
import { bodyOf, requestContext } from '../../http/fetch-adapter.ts';
import type { AuthorizationOutcome } from './authorization-endpoint.ts';
import { consentPage, consentPath, errorPage, stylesheet } from './consent-page.ts';
import { paths } from './discovery.ts';
import type { KeyLoginOutcome } from './key-login.ts';
import { keyLoginErrorPage, keyLoginPage, keyLoginPath } from './key-login-page.ts';
import { OAuthError, refuse } from './oauth-error.ts';
import { type PageOutcome, errorPage as refusal, type SignedInUser } from './page-outcome.ts';
import { type RequestParameters, readParameters } from './request-parameters.ts';
import type { OAuthService } from './service.ts';

/** The user who is signed in, by the session cookie of the request. */
type FindSignedInUser = (request: Request) => Promise<SignedInUser | undefined>;

type Handler = (request: Request) => Response | Promise<Response>;

const cors = { 'access-control-allow-origin': '*' };
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
const formType = 'application/x-www-form-urlencoded';
const maxFormBytes = 16 * 1024;

const json = (status: number, body: unknown, headers: Record<string, string>): Response =>
  Response.json(body, { status, headers: { 'x-content-type-options': 'nosniff', ...headers } });

function errorResponse(error: OAuthError, headers: Record<string, string>): Response {
  return json(
    error.status,
    { error: error.code, error_description: error.message },
    { ...noStore, ...headers, ...error.headers },
  );
}

/** Calls the handler of the request's method, and responds to preflights and wrong methods. HEAD is handled as GET. */
function byMethod(handlers: { GET?: Handler; POST?: Handler }, headers: Record<string, string> = {}): Handler {
  const methods = [...(handlers.GET ? ['GET', 'HEAD'] : []), ...(handlers.POST ? ['POST'] : [])];
  const hasCors = 'access-control-allow-origin' in headers;
  const allow = [...methods, ...(hasCors ? ['OPTIONS'] : [])].join(', ');
  return async request => {
    const handler = handlers[(request.method === 'HEAD' ? 'GET' : request.method) as 'GET' | 'POST'];
    if (handler) {
      try {
        return await handler(request);
      } catch (error) {
        if (error instanceof OAuthError) return errorResponse(error, headers);
        throw error;
      }
    }
    if (request.method === 'OPTIONS' && hasCors)
      return new Response(null, {
        status: 204,
        headers: {
          ...headers,
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
          'access-control-max-age': '86400',
        },
      });
    return json(405, { error: `method not allowed, use ${allow}` }, { ...headers, allow });
  };
}

/** Turns an error of reading a body into the form that OAuth clients understand. */
function toOAuthError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, retryAfterSeconds = 1 } = error;
  if (code === 'too_large') return new OAuthError('invalid_request', message, { status: 413 });
  if (code === 'too_slow') return new OAuthError('invalid_request', message, { status: 408 });
  if (code === 'invalid') return refuse('invalid_request', message);
  return new OAuthError('temporarily_unavailable', message, { headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** @throws OAuthError for a body that is too large, of another type or not UTF-8 */
async function readBody(request: Request, type: string): Promise<string> {
  const contentType = request.headers.get('content-type') ?? '';
  const tooLarge = new OAuthError('invalid_request', 'the body is too large', { status: 413 });
  if (Number(request.headers.get('content-length') ?? 0) > maxFormBytes) throw tooLarge;
  // Two headers are joined by a comma.
  if (contentType.split(';')[0]?.trim().toLowerCase() !== type || contentType.includes(','))
    throw refuse('invalid_request', `the content type must be ${type}`);
  const bytes = await bodyOf(request).catch(error => {
    throw toOAuthError(error);
  });
  if (bytes.length > maxFormBytes) throw tooLarge;
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refuse('invalid_request', 'the body is not valid UTF-8');
  return text;
}

async function readForm(request: Request): Promise<RequestParameters> {
  const parameters = readParameters(await readBody(request, formType));
  if (parameters.firstRepeated() !== undefined) throw refuse('invalid_request', 'a parameter is repeated');
  return parameters;
}

async function readJson(request: Request): Promise<unknown> {
  const text = await readBody(request, 'application/json');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refuse('invalid_client_metadata', 'the body is not valid JSON');
  }
}

function toResponse(outcome: AuthorizationOutcome, request: Request): Response {
  if (outcome.kind === 'consent') return formPage(consentPage(outcome.view), outcome.view.formAction);
  return toOtherResponse(outcome, request, errorPage);
}

/** Like `toResponse`, for the sign-in of the command line. */
function toKeyLoginResponse(outcome: KeyLoginOutcome, request: Request): Response {
  if (outcome.kind !== 'approval') return toOtherResponse(outcome, request, keyLoginErrorPage);
  const { page, formAction } = keyLoginPage(outcome.view);
  return formPage(page, formAction);
}

// With `no-referrer` the form's Origin would be `null`, but browsers without Sec-Fetch-Site are checked by Origin.
const formPage = (page: string, formAction: string): Response =>
  new Response(page, { headers: { ...pageHeaders(formAction), 'referrer-policy': 'same-origin' } });

function toOtherResponse(outcome: PageOutcome, request: Request, showError: (reason: string) => string): Response {
  if (outcome.kind === 'error_page') {
    const headers = { ...pageHeaders(), ...outcome.headers };
    return new Response(showError(outcome.reason), { status: outcome.status, headers });
  }
  return redirectTo(outcome.kind === 'redirect' ? outcome.location : signInFor(request));
}

/** The sign-in page, which leads back to the request. */
function signInFor(request: Request): string {
  const { pathname, search } = new URL(request.url, 'http://x');
  return `/login?return_to=${encodeURIComponent(pathname + search)}`;
}

const redirectTo = (location: string): Response =>
  new Response(null, {
    status: 303,
    headers: {
      location,
      'referrer-policy': 'no-referrer',
      'content-security-policy': contentSecurityPolicy(),
      ...noStore,
    },
  });

/** Limits apply to this address. */
const clientAddress = (request: Request): string => requestContext(request).clientAddress;

const bearerToken = (request: Request): string | undefined =>
  /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];

const crossSiteDecision = refusal('The decision was not submitted from the consent page of this server.', 403);

type OAuthRoutesOptions = {
  oauth: OAuthService;
  sessionOf: FindSignedInUser;
  browserGuard: Pick<BrowserGuard, 'isOwnChange'>;
};

export function oauthRoutes({ oauth, sessionOf, browserGuard }: OAuthRoutesOptions) {
  const cacheable = (body: () => unknown): Handler =>
    byMethod({ GET: () => json(200, body(), { ...cors, 'cache-control': 'public, max-age=300' }) }, cors);
  const postWithCors = (handle: Handler): Handler => byMethod({ POST: handle }, cors);
  const authorization = (request: Request) => request.headers.get('authorization');

  const endpoints: Record<string, Handler> = {
    [paths.server]: cacheable(() => oauth.metadata),
    [paths.resource]: cacheable(() => oauth.resourceMetadata('')),
    [`${paths.resource}/api`]: cacheable(() => oauth.resourceMetadata('/api')),
    [`${paths.resource}/mcp`]: cacheable(() => oauth.resourceMetadata('/mcp')),
    [paths.jwks]: cacheable(oauth.jwks),

    [paths.authorize]: byMethod({
      GET: async request => {
        // Link checkers send HEAD: no authorization request is stored for it.
        if (request.method === 'HEAD') return new Response(null, { headers: pageHeaders() });
        const query = new URL(request.url, 'http://x').search.slice(1);
        return toResponse(await oauth.authorize(query, await sessionOf(request), clientAddress(request)), request);
      },
    }),
    [consentPath]: byMethod({
      POST: async request => {
        if (!browserGuard.isOwnChange(request)) return toResponse(crossSiteDecision, request);
        return toResponse(await oauth.decide(await readForm(request), await sessionOf(request)), request);
      },
    }),
    [keyLoginPath]: byMethod({
      GET: async request => {
        if (request.method === 'HEAD') return new Response(null, { headers: pageHeaders() });
        const query = new URL(request.url, 'http://x').search.slice(1);
        const outcome = await oauth.keyLogin.open(query, await sessionOf(request), clientAddress(request));
        return toKeyLoginResponse(outcome, request);
      },
      POST: async request => {
        if (!browserGuard.isOwnChange(request)) return toKeyLoginResponse(crossSiteDecision, request);
        const outcome = await oauth.keyLogin.decide(await readForm(request), await sessionOf(request));
        return toKeyLoginResponse(outcome, request);
      },
    }),
    // It allows no CORS, so that pages of other sites cannot try codes.
    [`${keyLoginPath}/token`]: byMethod({
      POST: async request =>
        json(200, await oauth.keyLogin.redeem(await readForm(request), clientAddress(request)), noStore),
    }),
    [stylesheetPath]: byMethod({
      GET: () =>
        new Response(stylesheet, {
          headers: {
            'content-type': 'text/css; charset=utf-8',
            'cache-control': 'max-age=3600',
            'x-content-type-options': 'nosniff',
          },
        }),
    }),

    [paths.token]: postWithCors(async request => {
      const tokens = await oauth.token(authorization(request), await readForm(request));
      return json(200, tokens, { ...cors, ...noStore });
    }),
    [paths.revoke]: postWithCors(async request => {
      await oauth.revoke(authorization(request), await readForm(request));
      return new Response(null, { status: 200, headers: { ...cors, ...noStore } });
    }),
    ...(oauth.canRegister && {
      [paths.register]: postWithCors(async request => {
        const registered = await oauth.register(await readJson(request), clientAddress(request), bearerToken(request));
        return json(201, registered, { ...cors, ...noStore });
      }),
    }),
  };

  const app = new Elysia();
  for (const [path, handle] of Object.entries(endpoints))
    app.all(path, ({ request }) => handle(request), { parse: 'none', detail: { hide: true } });
  return app;
}
