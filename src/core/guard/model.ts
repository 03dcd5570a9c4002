/*
 * The conditions under which an endpoint accepts a delivery. All given conditions must hold. A guard is checked by
 * check.ts, its settings by settings.ts, and its token is kept out of storage by redact.ts.
 */
import type { Cidr } from '../../shared/addresses.ts';

export type Guard = {
  /** Upper case. */
  methods?: string[];
  /** Networks of IPv4 or IPv6, as written. */
  cidrs?: string[];
  basic?: { user: string; password: string };
  token?: { in: 'header' | 'query'; name: string; value: string };
  /** Whether refused deliveries are stored, with the status that their sender got. */
  onRefuse: 'record' | 'drop';
};

/** The statuses of a refusal. */
export type RefusedStatus = 401 | 403 | 405;

/** A guard as deliveries need it. */
export type ReadyGuard = {
  readonly methods: ReadonlySet<string> | undefined;
  readonly ranges: readonly Cidr[] | undefined;
  /** Of `user:password` in UTF-8. */
  readonly basicDigest: Uint8Array | undefined;
  /** `name`: of a header in lower case. */
  readonly token: { in: 'header' | 'query'; name: string; value: string; digest: Uint8Array } | undefined;
};

/** Without its secrets. */
export type StoredGuard = Omit<Guard, 'basic' | 'token'> & {
  basic?: Omit<NonNullable<Guard['basic']>, 'password'>;
  token?: Omit<NonNullable<Guard['token']>, 'value'>;
};
