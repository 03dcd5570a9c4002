/* The limits and defaults of a forward that the server checks and a form shows. */

export const maxForwardTimeoutS = 120;

/** The settings of a forward of which nothing but its name and its URL is given. */
export const forwardDefaults = {
  name: '',
  url: '',
  where: '',
  mode: 'parallel',
  orderBy: null,
  sign: 'as-captured',
  headers: [],
  timeoutS: 30,
  retry: { for: '24h', first: '5s', max: '1h' },
  per: 'event',
  enabled: true,
} as const;
