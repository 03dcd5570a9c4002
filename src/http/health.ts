/*
 * The health probes. `/healthz`: the process is alive. `/readyz`: a delivery sent now would be stored. GET is handled without the
 * app, so that probes neither load it nor wait for it.
 */
import { errorBody } from './errors.ts';
import type { Gate } from './gate.ts';
import type { Readiness } from './readiness.ts';
import { type AnsweredRequest, countRequests } from './request-metrics.ts';
import { createRouteTable } from './route-table.ts';

type HealthServices = {
  readiness: Pick<Readiness, 'problem'>;
  /** Its state is only shown: a tunnel that is down is no reason to restart the server. */
  tunnel?: { status: () => object } | undefined;
};

export const createHealth = ({ readiness, tunnel }: HealthServices) => ({
  '/healthz': async (): Promise<Response> => Response.json({ ok: true }),
  '/readyz': async (): Promise<Response> => {
    const problem = await readiness.problem();
    const ready = { ok: true, ...(tunnel && { tunnel: tunnel.status() }) };
    return problem === undefined ? Response.json(ready) : errorBody(503, problem, { 'retry-after': '5' });
  },
});

export type AnswerProbe = (request: Request) => Promise<Response> | undefined;

/** @returns a function that responds to a probe as the app would, and returns undefined for any other request */
export function createAnswerProbe(
  services: HealthServices & {
    gate: Pick<Gate, 'check'>;
    metrics: { request: (answered: AnsweredRequest) => void };
    clock: { monotonic: () => number };
  },
): AnswerProbe {
  const { gate, metrics, clock } = services;
  const health = Object.entries(createHealth(services));
  const match = createRouteTable(() => health.map(([path]) => ({ method: 'GET', path, hooks: {} })));
  const probes = health.map(([path, answer]) => {
    const fetch = async (request: Request): Promise<Response> =>
      (await gate.check(request, match(request))) ?? answer();
    const counted = countRequests({ fetch, match }, metrics.request, clock.monotonic);
    return { path, fetch: async (request: Request): Promise<Response> => counted(request) };
  });
  return request => {
    if (request.method !== 'GET') return undefined;
    const { pathname } = new URL(request.url, 'http://internal');
    return probes.find(({ path }) => path === pathname)?.fetch(request);
  };
}
