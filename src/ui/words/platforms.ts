/* How senders write their own names. Names not listed here are shown with a capital first letter. */

const NAMES: Record<string, string> = {
  'authorize-net': 'Authorize.Net',
  'aws-eventbridge': 'AWS EventBridge',
  'aws-sns': 'AWS SNS',
  'azure-event-grid': 'Azure Event Grid',
  bigcommerce: 'BigCommerce',
  'bitbucket-server': 'Bitbucket Server',
  cal: 'Cal.com',
  circleci: 'CircleCI',
  clickup: 'ClickUp',
  cloudevents: 'CloudEvents',
  'cloudflare-stream': 'Cloudflare Stream',
  'coinbase-cdp': 'Coinbase CDP',
  'coinbase-commerce': 'Coinbase Commerce',
  customerio: 'Customer.io',
  dockerhub: 'Docker Hub',
  docusign: 'DocuSign',
  'dropbox-sign': 'Dropbox Sign',
  easypost: 'EasyPost',
  ebay: 'eBay',
  github: 'GitHub',
  gitlab: 'GitLab',
  gocardless: 'GoCardless',
  'google-pubsub': 'Google Pub/Sub',
  'google-push': 'Google Push',
  hubspot: 'HubSpot',
  launchdarkly: 'LaunchDarkly',
  lemonsqueezy: 'Lemon Squeezy',
  line: 'LINE',
  linkedin: 'LinkedIn',
  mercadopago: 'Mercado Pago',
  'microsoft-graph': 'Microsoft Graph',
  'microsoft-teams': 'Microsoft Teams',
  monday: 'monday.com',
  'mongodb-atlas': 'MongoDB Atlas',
  npm: 'npm',
  onfleet: 'Onfleet',
  openai: 'OpenAI',
  pagerduty: 'PagerDuty',
  paypal: 'PayPal',
  'paypal-ipn': 'PayPal IPN',
  quickbooks: 'QuickBooks',
  revenuecat: 'RevenueCat',
  sendgrid: 'SendGrid',
  'standard-webhooks': 'Standard Webhooks',
  tiktok: 'TikTok',
  websub: 'WebSub',
  woocommerce: 'WooCommerce',
  workos: 'WorkOS',
  youtube: 'YouTube',
}; // prettier-ignore

export const platformName = (platform: string | null): string => {
  if (platform === null || platform === '') return 'unknown sender';
  return (
    (Object.hasOwn(NAMES, platform) ? NAMES[platform] : undefined) ??
    platform.charAt(0).toUpperCase() + platform.slice(1)
  );
};

/** Platforms to offer where one is chosen; any other name may be typed. */
export const OFFERED_PLATFORMS: string[] =
  'adyen asana bitbucket box cal calendly clerk discord dropbox docusign gitea github gitlab gocardless hubspot intercom jira lemonsqueezy linear mailgun meta mollie monday notion openai paddle pagerduty paypal paystack pusher razorpay resend sendgrid sentry shopify slack square standard-webhooks stripe svix telegram trello twilio twitch typeform vercel woocommerce workos xero zendesk zoom'.split(
    ' ',
  );
