/*
 * Finds the route of a request, once for all checks that need it: they run before the router, or for requests that never reach
 * it. It finds the same route as the router: a slash at the end makes no difference, and fixed segments come before parameters.
 */
import type { OperationRules } from './operation.ts';

/** The fields of Elysia's routes that are read. */
export type AppRoute = {
  method: string;
  path: string;
  /** `isCompressed`: of a route without an operation. */
  hooks: { query?: { properties?: Record<string, unknown> }; operation?: OperationRules; isCompressed?: boolean };
};

export type Route = {
  /** Such as `/api/events/:id`. */
  path: string;
  operation: (OperationRules & { reads: boolean; compressed: boolean }) | undefined;
  queryNames: ReadonlySet<string>;
  /** Whether its JSON answers are compressed. */
  isCompressed: boolean;
};

export type RouteMatch = {
  /** Undefined if the path does not accept the method, or accepts all (`ALL`) and checks it itself. HEAD is treated as GET. */
  route: Route | undefined;
  /** The methods that the path declares. */
  methods: readonly string[];
  /** The path parameters in their order, decoded. */
  params: Record<string, string>;
};

/** @returns undefined for an unknown path */
export type MatchRoute = (request: Request) => RouteMatch | undefined;

type Path = { pattern: RegExp; routes: Map<string, Route> };

/** @param routes Elysia's `app.routes`, called at the first request, because hooks are registered before the routes */
export function createRouteTable(routes: () => readonly AppRoute[]): MatchRoute {
  const matches = new WeakMap<Request, RouteMatch | undefined>();
  let paths: readonly Path[] | undefined;

  const find = ({ method, url }: Request): RouteMatch | undefined => {
    const { pathname } = new URL(url, 'http://internal');
    paths ??= compile(routes());
    for (const { pattern, routes } of paths) {
      const found = pattern.exec(pathname);
      if (!found) continue;
      const params = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
      return {
        route: routes.get(method === 'HEAD' ? 'GET' : method),
        methods: [...routes.keys()],
        params: Object.fromEntries(params),
      };
    }
    return undefined;
  };

  return request => {
    // The match is stored, also because head-requests.ts changes the method for a while.
    if (!matches.has(request)) matches.set(request, find(request));
    return matches.get(request);
  };
}

export type DeclaredOperation = NonNullable<Route['operation']> & { method: string; path: string };

/** The operations of the routes, with their paths as in the interface description. */
export const declaredOperations = (routes: readonly AppRoute[]): DeclaredOperation[] =>
  routes.flatMap(route => {
    const operation = operationOf(route);
    return operation ? [{ ...operation, method: route.method, path: route.path.replace(/:(\w+)/g, '{$1}') }] : [];
  });

const operationOf = ({ method, hooks: { operation } }: AppRoute): Route['operation'] =>
  operation && {
    ...operation,
    reads: operation.reads ?? method === 'GET',
    compressed: operation.compressed ?? method === 'GET',
  };

function compile(routes: readonly AppRoute[]): Path[] {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const { method, path, hooks } = route;
    if (path.includes('*')) continue;
    const queryNames = new Set(Object.keys(hooks.query?.properties ?? {}));
    const operation = operationOf(route);
    const isCompressed = operation?.compressed ?? hooks.isCompressed ?? false;
    const ofPath = byPath.get(path) ?? new Map<string, Route>();
    byPath.set(path, ofPath.set(method, { path, operation, queryNames, isCompressed }));
  }
  return [...byPath]
    .sort(([a], [b]) => Number(parametersLast(a) > parametersLast(b)) - Number(parametersLast(a) < parametersLast(b)))
    .map(([path, routes]) => ({ pattern: pathPattern(path), routes }));
}

/** Sorts a parameter after every fixed segment in its place. */
const parametersLast = (path: string): string => path.replace(/:\w+/g, '\uffff');

function pathPattern(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)');
  return new RegExp(`^${source}/?$`);
}

/** A parameter that cannot be decoded is returned as it is; it never reaches a handler. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
