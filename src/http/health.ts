/* `/healthz`: the process is alive. `/readyz`: a delivery sent now would be stored. */
import { Elysia } from 'elysia';
import { errorBody } from './errors.ts';

export const healthRoutes = ({ checkWritable }: { checkWritable: () => Promise<void> }) =>
  new Elysia()
    .get('/healthz', () => ({ ok: true }))
    .get('/readyz', async () => {
      try {
        await checkWritable();
        return { ok: true };
      } catch {
        return errorBody(503, 'the database cannot be written', { 'retry-after': '5' });
      }
    });
