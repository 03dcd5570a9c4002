/*
 * Refuses what a path's routes do not declare: a method with 405 and `Allow` (RFC 9110 section 15.5.6), and under `/api/` a query
 * parameter with 400, because a misspelt one would be ignored silently. OPTIONS is no exception: routes that answer preflights
 * declare it. Every path has one spelling: `.` and `..` in it are 400, and under `/api/` a slash at its end, which the router would
 * ignore, is 404. Otherwise a consumer named `..` would address its endpoint, and a proxy that lets `/jwks/` pass without a sign-in
 * would let `/jwks/..\api/` pass, too. Runs after the gate, so that 401 and 429 come first.
 */
import { invalid, invalidInput } from '../core/errors.ts';
import { hasDotSegment } from '../core/network/request-target.ts';
import { firstCharacters } from '../core/text.ts';
import { didYouMean } from '../shared/suggest.ts';
import { appErrorResponse, errorBody } from './errors.ts';
import { requestContext } from './fetch-adapter.ts';
import type { RouteMatch } from './route-table.ts';

/** The statuses of its refusals, for the OpenAPI document. */
export const declaredOnlyRefusals = [400, 405] as const;

const namedCharacters = 100;

export function declaredOnly(request: Request, match: RouteMatch | undefined): Response | undefined {
  const { pathname, searchParams } = new URL(request.url, 'http://internal');
  const isApi = pathname.startsWith('/api/');
  if (hasDotSegment(requestContext(request).target))
    return appErrorResponse(invalid('invalid path: "." and ".." in it are no names'));
  if (isApi && pathname.endsWith('/')) return errorBody(404, 'not found');
  // An unknown path is a 404, and a route for all methods checks the method itself.
  if (!match || match.methods.includes('ALL')) return undefined;
  const { route, methods } = match;
  if (!route) return methodNotAllowed(methods);
  if (!isApi) return undefined;
  const unknown = [...searchParams.keys()].find(name => !route.queryNames.has(name));
  if (unknown === undefined) return undefined;
  const path = [firstCharacters(unknown, namedCharacters)];
  const message = `no such parameter${didYouMean(unknown, [...route.queryNames])}`;
  return appErrorResponse(invalidInput('query', [{ path, message }]));
}

/** @param methods as declared; GET implies HEAD */
export function methodNotAllowed(methods: readonly string[]): Response {
  const allow = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return errorBody(405, `method not allowed; this path takes ${allow}`, { allow });
}
