/*
 * Elysia plugins that put the principal of the request into the context of the routes that follow. They only read it: gate.ts
 * authenticates the request before its body is read, and again after it. `derive` runs after both.
 */
import { Elysia } from 'elysia';
import type { Gate } from './gate.ts';

/** Adds `principal`. @throws unauthorized for a request that the gate let pass without credentials */
export const authenticated = (gate: Pick<Gate, 'principal'>) =>
  new Elysia().derive({ as: 'scoped' }, ({ request }) => ({ principal: gate.principal(request) }));

/** The routes of a resource, each with the `principal` of its request. */
export const routesOf = <const Prefix extends string>(gate: Pick<Gate, 'principal'>, prefix: Prefix, tag: string) =>
  new Elysia({ prefix, tags: [tag] }).use(authenticated(gate));

/** Adds `principal`, which is undefined for a request without credentials. For open operations. */
export const optionallyAuthenticated = (gate: Pick<Gate, 'findPrincipal'>) =>
  new Elysia().derive({ as: 'scoped' }, ({ request }) => ({ principal: gate.findPrincipal(request) }));
