/* `/healthz`: the process is alive. `/readyz`: a delivery sent now would be stored. */
import { Elysia } from 'elysia';
import { errorBody } from './errors.ts';
import type { Readiness } from './readiness.ts';

export const healthRoutes = ({ isReady }: { isReady: Readiness }) =>
  new Elysia()
    .get('/healthz', () => ({ ok: true }))
    .get('/readyz', async () =>
      (await isReady()) ? { ok: true } : errorBody(503, 'the database cannot be written', { 'retry-after': '5' }),
    );
