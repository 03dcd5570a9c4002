/* Endpoints that a file declares, and the result of applying it. */

import { Type as t } from '@sinclair/typebox';
import type { AnswerRules } from '../../core/answers/model.ts';
import { endpointSettings } from '../../core/endpoint-schema.ts';
import type { FieldProblem } from '../../core/field-problems.ts';
import type { Guard } from '../../core/guard/model.ts';
import type { Redaction } from '../../core/redaction/model.ts';
import { nullable } from '../../core/schemas.ts';
import { maxRules } from '../../shared/answers.ts';
import { type ForwardSettings, maxForwardsPerEndpoint } from '../../shared/forwards.ts';

const maxEndpoints = 10_000;
const closed = { additionalProperties: false };

/** The file. */
export const FileForm = t.Object({ endpoints: t.Array(t.Unknown(), { maxItems: maxEndpoints }) }, closed);
/** An endpoint of the file. Its lists and its guard are read one by one, so that a problem in one of them hides none in another. */
export const EndpointForm = t.Object(
  {
    name: t.String(),
    account: t.String(),
    address: t.Optional(
      t.String({
        pattern: '^[a-z0-9][a-z0-9-]{2,62}$',
        problem: 'must be 3 to 63 lower-case letters, digits and hyphens, and begin with a letter or digit',
      }),
    ),
    secrets: t.Optional(t.Array(t.Unknown())),
    redaction: t.Optional(t.Unknown()),
    answers: t.Optional(t.Object({ rules: t.Array(t.Unknown(), { maxItems: maxRules }) }, closed)),
    forwards: t.Optional(t.Array(t.Unknown(), { maxItems: maxForwardsPerEndpoint })),
    guard: t.Optional(t.Unknown()),
    retention: t.Optional(endpointSettings.retention),
  },
  closed,
);
/** A secret of an endpoint. `value`: as read by the command; absent if the command has reported a problem instead. */
export const SecretForm = t.Object(
  {
    platform: nullable(t.String({ problem: 'must be the name of a platform, or null for any' })),
    value: t.Optional(t.String()),
  },
  closed,
);

/** An endpoint of the file. Fields that the file does not have are undefined and belong to people. */
export type DeclaredEndpoint = {
  name: string;
  /** The email address of a member of the team that owns it. */
  account: string;
  /** A fixed token. */
  address?: string;
  secrets?: readonly { platform: string | null; secret: string }[];
  answers?: AnswerRules;
  redaction?: Redaction;
  forwards?: readonly ForwardSettings[];
  /** It is checked together with the stored guard, because it may keep the stored secrets. */
  guard?: Guard | null;
  retention?: string | null;
};

export type ApplyRequest = {
  /** The contents of the file, with the values of secrets instead of their sources. */
  document: unknown;
  /** Only report the changes. */
  dryRun: boolean;
  /** Remove endpoints that a file declared before and this file does not declare. */
  prune: boolean;
  /** Also endpoints with pinned events. */
  force: boolean;
};

export type Changed = { name: string; account: string; url: string; fields: string[] };

/**
 * With `problems` of the file, nothing was changed. Nor was it with `pinned`: endpoints with pinned events, which only `force`
 * removes.
 */
export type ApplyResult =
  | { problems: FieldProblem[] }
  | { pinned: string[] }
  | { created: Changed[]; changed: Changed[]; removed: Pick<Changed, 'name'>[]; unchanged: number };
