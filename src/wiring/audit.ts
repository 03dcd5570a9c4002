/* The audit log. */
import { createAuditService } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import type { Infrastructure } from './infrastructure.ts';

export type AuditWiring = ReturnType<typeof createAuditWiring>;

export function createAuditWiring({ direct, clock, random, log }: Infrastructure) {
  const audit = createAuditService({
    store: createAuditStore(direct.db),
    clock,
    random,
    onError: (cause, fields) => log.error('an entry of the audit log could not be written', { ...fields, cause }),
  });
  return { audit };
}
