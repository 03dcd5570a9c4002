/* Schemas of the audit log. */
import { type Static, Type as t } from '@sinclair/typebox';
import { auditVias } from '../../core/access/audit-actions.ts';
import { defaultPageSize } from '../../core/limits.ts';
import { literals, nullable } from '../../core/schemas.ts';
import { Moment, PageSize, Timestamp } from '../../http/schemas.ts';

export const AuditEntry = t.Object(
  {
    id: t.String(),
    at: Timestamp,
    actor: nullable(
      t.Object(
        { id: t.String(), email: t.String() },
        { description: 'the account, with its address at that time; null for a command of the operator' },
      ),
    ),
    via: literals(auditVias, { description: 'api: with an API key or an access token' }),
    action: t.String({ description: 'such as `endpoint.created`' }),
    target: t.Object({ type: t.String(), id: t.String() }),
    text: t.String({ description: 'who did what, as a sentence without secrets and values' }),
    link: nullable(
      t.String({
        description: 'the path of a page of the dashboard; null when the target does not exist or has no page',
      }),
    ),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = t.Object(
  { entries: t.Array(AuditEntry, { description: 'newest first' }), nextCursor: nullable(t.String()) },
  { title: 'AuditPage' },
);
export type AuditPage = Static<typeof AuditPage>;

export const AuditLines = t.String({ description: 'an AuditEntry a line' });

/** More than an email address or an id has. */
const maxFilterCharacters = 320;

export const AuditQuery = t.Object({
  person: t.Optional(
    t.String({
      maxLength: maxFilterCharacters,
      description: 'only what this account did: its email address, in any case, or its id; `operator` for commands',
    }),
  ),
  thing: t.Optional(
    t.String({
      maxLength: maxFilterCharacters,
      description:
        'only what was done to this: the id of a target, or of an endpoint for everything in it, or a type such as `forward`',
    }),
  ),
  from: Moment('epoch milliseconds, included; by default without a limit'),
  to: Moment('epoch milliseconds, included; default now'),
  limit: PageSize(defaultPageSize, '; with `format=ndjson` the default is all'),
  cursor: t.Optional(t.String({ description: '`nextCursor` of the previous page' })),
  format: t.Optional(
    t.Union([t.Literal('json'), t.Literal('ndjson')], {
      default: 'json',
      description: 'ndjson: one entry a line',
    }),
  ),
});
export type AuditQuery = Static<typeof AuditQuery>;
