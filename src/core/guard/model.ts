/* The conditions under which an endpoint accepts a delivery; all given ones must hold. */
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

export type StoredGuard = Omit<Guard, 'basic' | 'token'> & {
  basic?: Omit<NonNullable<Guard['basic']>, 'password'>;
  token?: Omit<NonNullable<Guard['token']>, 'value'>;
};
