/* `/healthz`: the process is alive. `/readyz`: a delivery sent now would be stored. */
import { Elysia } from 'elysia';
import { errorBody } from './errors.ts';
import type { Readiness } from './readiness.ts';

export const healthRoutes = ({ readiness }: { readiness: Pick<Readiness, 'problem'> }) =>
  new Elysia()
    .get('/healthz', () => ({ ok: true }))
    .get('/readyz', async () => {
      const problem = await readiness.problem();
      return problem === undefined ? { ok: true } : errorBody(503, problem, { 'retry-after': '5' });
    });
