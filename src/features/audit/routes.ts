/* GET /api/audit */
import { routesOf } from '../../http/authenticated.ts';
import type { Gate } from '../../http/gate.ts';
import { queryOf } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { download } from '../../http/sandboxed.ts';
import { jsonOr, responses } from '../../http/schemas.ts';
import { AuditLines, AuditPage, AuditQuery } from './model.ts';
import type { AuditService } from './service.ts';

export const auditRoutes = ({ gate, audit }: { gate: Gate; audit: AuditService }) =>
  routesOf(gate, '/api/audit', 'Team').get(
    '',
    async ({ principal, query }) =>
      query.format === 'ndjson'
        ? // Elysia sends a Response as it is, but its types expect the schema's type.
          (download(audit.lines(principal, query), 'audit.ndjson', {
            'content-type': 'application/x-ndjson; charset=utf-8',
          }) as never)
        : audit.page(principal, query),
    {
      ...queryOf(AuditQuery),
      response: responses({ 200: jsonOr(AuditPage, { 'application/x-ndjson': AuditLines }) }, 400, 403),
      ...operation({
        operationId: 'listAudit',
        permission: 'team',
        summary: 'Who changed what, newest first; for an owner only',
        description:
          'Every operation that changes something leaves one line, the operator’s commands included; captured deliveries, reads and positions of consumers do not. Lines are never changed, and have no secrets in them. `format=ndjson` downloads one entry a line.',
      }),
    },
  );
