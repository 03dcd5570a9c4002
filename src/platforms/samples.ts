/*
 * The samples of every platform: the documented samples in `samples/`, or else a sample built from the platform's rules. They
 * are loaded at the first request for samples, because deliveries never need them.
 */
import type { Platform } from './engine/platform.ts';
import { genericSample, type Sample } from './engine/sample.ts';
import { bigcommerce, clerk, openai, standardWebhooks, svix } from './samples/accounts.ts';
import { calendly, dropboxSign, hubspot, intercom, microsoftGraph, typeform, zoom } from './samples/business.ts';
import { bitbucket, jira, linear, sentry } from './samples/developer.ts';
import {
  azureEventGrid,
  cloudflareStream,
  dockerhub,
  dropbox,
  googlePubsub,
  line,
  mandrill,
  microsoftTeams,
  salesforce,
  websub,
  x,
  youtube,
} from './samples/formats.ts';
import { forgejo, gitea } from './samples/gitea.ts';
import { github } from './samples/github.ts';
import { gitlab } from './samples/gitlab.ts';
import { mailgun, meta, resend, sendgrid, telegram, twilio } from './samples/messaging.ts';
import { adyen, braintree, mercadopago, mollie, paypal } from './samples/more-payments.ts';
import { pagerduty, travis, vercel } from './samples/operations.ts';
import { shippo, woocommerce } from './samples/orders.ts';
import { lemonsqueezy, paddle, paystack, razorpay, square } from './samples/payments.ts';
import { shopify } from './samples/shopify.ts';
import { slack } from './samples/slack.ts';
import { stripe } from './samples/stripe.ts';

/** By the platform's name. */
const documented: Readonly<Record<string, readonly Sample[]>> = {
  stripe,
  github,
  shopify,
  slack,
  gitlab,
  twilio,
  clerk,
  linear,
  paddle,
  paypal,
  square,
  lemonsqueezy,
  sentry,
  hubspot,
  intercom,
  meta,
  mailgun,
  resend,
  sendgrid,
  zoom,
  calendly,
  typeform,
  bitbucket,
  gitea,
  forgejo,
  jira,
  vercel,
  pagerduty,
  openai,
  woocommerce,
  telegram,
  razorpay,
  paystack,
  adyen,
  mollie,
  mercadopago,
  braintree,
  'dropbox-sign': dropboxSign,
  dropbox,
  'microsoft-graph': microsoftGraph,
  'microsoft-teams': microsoftTeams,
  'google-pubsub': googlePubsub,
  'azure-event-grid': azureEventGrid,
  'cloudflare-stream': cloudflareStream,
  'standard-webhooks': standardWebhooks,
  svix,
  bigcommerce,
  dockerhub,
  line,
  mandrill,
  salesforce,
  shippo,
  travis,
  websub,
  x,
  youtube,
};

/** The platforms with documented samples, the best-known first. */
export const wellKnown: readonly string[] = Object.keys(documented);

/** Empty if a delivery needs the platform's private key. */
export function samplesOf(platform: Platform): readonly Sample[] {
  const own = documented[platform.name];
  if (own !== undefined) return own;
  const generic = genericSample(platform);
  return generic === undefined ? [] : [generic];
}
