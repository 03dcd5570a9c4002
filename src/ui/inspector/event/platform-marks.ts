/*
 * Marks of the best-known platforms: line drawings of our own on a 16 unit grid, no logos. They distinguish platforms at a
 * glance; the name is shown beside them. Other platforms get two letters of their title.
 */

const paths: Readonly<Record<string, string>> = {
  asana: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2ZM5.5 8.2l1.8 1.8 3.2-4',
  'aws-eventbridge': 'M8 1.5 13.5 5v6L8 14.5 2.5 11V5L8 1.5ZM8.5 4.5 6 8.5h4L7.5 11.5',
  'aws-sns': 'M3 6.5v3h2.5L10 13V3L5.5 6.5H3Zm9.5-1.5a4.5 4.5 0 0 1 0 6',
  bitbucket: 'M3 6h10l-1 8H4L3 6Zm0 0a5 4 0 0 1 10 0',
  calendly: 'M3 3.5h10v10H3v-10Zm0 3h10M5.5 2v2.5m5-2.5v2.5M8 9v2h2',
  circleci: 'M3 7.5a5 5 0 0 1 9-2.5m1 3.5a5 5 0 0 1-9 2.5M12.5 2v3h-3m-6 9v-3h3',
  clerk: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Zm0 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm-3.5 7a4 4 0 0 1 7 0',
  datadog: 'M2 13.5h12M4 11V8.5m4 2.5V3m4 8V6',
  discord: 'M2.5 3h8v6H6l-2 2V9H2.5V3Zm10 3h1v6H12v2l-2-2H7',
  dockerhub: 'M1.5 9h4v4h-4V9Zm4.5 0h4v4H6V9Zm4.5 0h4v4h-4V9ZM3.7 4.5h4v4h-4v-4Zm4.5 0h4v4h-4v-4Z',
  forgejo: 'M4.5 13.5v-8a3 3 0 0 1 3-3H11M4.5 11a3 3 0 0 1 3-3H11M12 1v3m0 2.5v3',
  gitea: 'M2.5 6h9v3.5a3.5 3.5 0 0 1-3.5 3.5H6a3.5 3.5 0 0 1-3.5-3.5V6Zm9 1h1a1.5 1.5 0 0 1 0 3h-1M5.5 4V2.5M8.5 4V2.5',
  github: 'M3 2.5 5.5 4h5L13 2.5V8a5 5 0 0 1-10 0V2.5Zm3.5 5v.01m3-.01v.01M8 10v.01M3 11.5l-2 .5m12-.5 2 .5',
  gitlab: 'M6 2.5h4m-3 0v4L3 13a.7.7 0 0 0 .6 1h8.8a.7.7 0 0 0 .6-1L9 6.5v-4M5 10.5h6',
  gogs: 'M12.5 5A5.5 5.5 0 1 0 13.5 8H8.5m2 2.5v3m-5-5v.01',
  grafana: 'M2.5 2.5v11h11M5 10l2.5-3.5 2 2L13 4.5',
  heroku: 'm8 2 5.5 3L8 8 2.5 5 8 2ZM2.5 8 8 11l5.5-3m-11 3L8 14l5.5-3',
  hubspot: 'M8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm0 0V2.5M9.7 9l3.3 2M6.3 9 3 11M8 2v.01M13.5 11.3v.01m-11-.01v.01',
  intercom: 'M2.5 3h11v8H8l-3 3v-3H2.5V3Zm3 4c1.5 1.5 3.5 1.5 5 0',
  jira: 'M2 5h12v2a1.5 1.5 0 0 0 0 3v2H2v-2a1.5 1.5 0 0 0 0-3V5Zm7.5 1.5v1m0 2v1',
  lemonsqueezy:
    'M3 8c0-3 2.5-5 5.5-5 1.5 0 3-.5 4-1 0 1.5.5 2.5.5 4.5 0 4-2.5 6.5-5.5 6.5C5 13 3 11 3 8Zm0 0-1.5 2M6 8.5c0-1.5 1-2.5 2.5-2.5',
  linear: 'm2.5 4 1 1 2-2M8 4h5.5m-11 4 1 1 2-2M8 8h5.5m-11 4 1 1 2-2M8 12h5.5',
  mailchimp: 'M2.5 5h11v8h-11V5Zm0 .5L8 9.5l5.5-4M5 5c0-4 6-4 6 0',
  mailgun: 'M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5Zm2.5 0V9c0 2 3 2 3-1a5.5 5.5 0 1 0-2.5 4.6',
  meta: 'M5.5 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm5 0a2 2 0 1 0 0-4m-9 10c.3-3 1.5-4.5 4-4.5S9.2 10 9.5 13m1.5-4.5c2 0 3 1.5 3.5 4.5',
  netlify: 'M8 1.5 14.5 8 8 14.5 1.5 8 8 1.5Zm0 0V6m0 4v4.5M1.5 8H6m4 0h4.5M6 6h4v4H6V6Z',
  notion: 'M4 2.5h9v11H4v-11Zm3 3.5h3.5M7 9h3.5M2.5 5H5M2.5 8H5m-2.5 3H5',
  openai: 'M8 2c.5 4 2 5.5 6 6-4 .5-5.5 2-6 6-.5-4-2-5.5-6-6 4-.5 5.5-2 6-6Z',
  paddle: 'm13.5 2.5-6 6M3 9.5l2-2L8.5 11l-2 2c-1 1-3 1-4 1 0-1-.5-3.5.5-4.5Z',
  pagerduty: 'M8 2a4 4 0 0 1 4 4v3.5l1.5 2h-11l1.5-2V6a4 4 0 0 1 4-4ZM6.5 13.5h3',
  paypal: 'M6 3.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm4.5.3a4.5 4.5 0 0 1 0 8.4',
  postmark: 'M6 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm4.5 2H15m-4.5 3H15m-5.5 3H15M6 5v2h1.5',
  resend: 'M9 3.5 13.5 7 9 10.5v-2c-3.5 0-5.5 1-6.5 4 0-4.5 2.5-7 6.5-7v-2Z',
  segment: 'M7 3.5a5.5 5.5 0 1 0 5.5 5.5H7V3.5Zm2.5-2A5 5 0 0 1 14.5 6.5h-5v-5Z',
  sendgrid: 'M5 4.5h9V12H5V4.5Zm0 .5 4.5 3.5L14 5M1.5 6.5H3M1 9h2m-1 2.5h1',
  sentry:
    'M5 6.5h6v4a3 3 0 0 1-6 0v-4Zm1-.5a2 2 0 0 1 4 0M2.5 4.5 5 7m8.5-2.5L11 7M2 9.5h3m6 0h3M3 14l2.3-2M13 14l-2.3-2',
  shopify: 'M3.5 5.5h9l1 8.5h-11l1-8.5ZM5.5 7.5V4.5a2.5 2.5 0 0 1 5 0v3',
  slack: 'M6 2v12M10 2v12M2 6h12M2 10h12',
  square: 'M2 4h12v8H2V4Zm0 2.5h12M4.5 10h2',
  stripe: 'M2 11.5 14 8.5M2 7.5l12-3m-12 11 12-3',
  telegram: 'M14 2.5 1.5 7.5l4 1.5L7 13.5l2.2-3 3.3 2.5L14 2.5ZM5.5 9 14 2.5',
  trello: 'M2.5 3v10m3.7-10v6m3.6-6v8m3.7-8v4.5',
  twilio: 'm4.5 2.5 1.5 3L4.8 7c1 2 2.2 3.2 4.2 4.2L10.5 10l3 1.5-1 2.5C7.5 14 2 8.5 2 3.5l2.5-1Z',
  twitch: 'M2.5 5.5h11v8h-11v-8ZM5.5 2 8 5.5 10.5 2M7 8v3l2.5-1.5L7 8Z',
  typeform: 'M2.5 3.5v9M6 3.5h7.5v9H6v-9Zm2 3h3.5M8 9.5h2',
  vercel: 'M8 2.5 14 11H2L8 2.5ZM4 14h8',
  woocommerce: 'M1.5 3H3.5L5 10h7l1.5-5H4m2 8v.01m5.5-.01v.01',
  zendesk: 'M3 10V8a5 5 0 0 1 10 0v2M3 9.5h2v3.5H3V9.5Zm8 0h2V13h-2V9.5Zm2 3.5c0 1.3-2 1.7-4 1.7',
  zoom: 'M2 5a1 1 0 0 1 1-1h6.5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V5Zm8.5 2.5 3.5-2v5l-3.5-2',
};

/** The drawing of a platform; undefined when it has none. */
export const markOf = (platform: string): string | undefined =>
  Object.hasOwn(paths, platform) ? paths[platform] : undefined;

/** `SN` of `Standard Notes`, `St` of `Strapi`; `?` when there is no letter. */
export function lettersOf(title: string): string {
  const [first = '', second = ''] = title.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [a = '?', b = ''] = first;
  const [c = b] = second;
  return a.toLocaleUpperCase() + (second === '' ? b.toLocaleLowerCase() : c.toLocaleUpperCase());
}
