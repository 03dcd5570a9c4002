/* Samples from the documentation, or else built from a platform's rules. Deliveries never load them. */
import { documentedSamples, merge, type SampleFile, type SampleParts } from './engine/documented-sample.ts';
import type { Platform } from './engine/platform.ts';
import { genericSample, type Sample } from './engine/sample.ts';
import adyen from './samples/adyen.json';
import azureEventGrid from './samples/azure-event-grid.json';
import bigcommerce from './samples/bigcommerce.json';
import bitbucket from './samples/bitbucket.json';
import braintree from './samples/braintree.json';
import calendly from './samples/calendly.json';
import clerk from './samples/clerk.json';
import cloudflareStream from './samples/cloudflare-stream.json';
import dockerhub from './samples/dockerhub.json';
import dropbox from './samples/dropbox.json';
import dropboxSign from './samples/dropbox-sign.json';
import forgejo from './samples/forgejo.json';
import gitea from './samples/gitea.json';
import github from './samples/github.json';
import gitlab from './samples/gitlab.json';
import googlePubsub from './samples/google-pubsub.json';
import hubspot from './samples/hubspot.json';
import intercom from './samples/intercom.json';
import jira from './samples/jira.json';
import lemonsqueezy from './samples/lemonsqueezy.json';
import line from './samples/line.json';
import linear from './samples/linear.json';
import mailgun from './samples/mailgun.json';
import mandrill from './samples/mandrill.json';
import mercadopago from './samples/mercadopago.json';
import meta from './samples/meta.json';
import microsoftGraph from './samples/microsoft-graph.json';
import microsoftTeams from './samples/microsoft-teams.json';
import mollie from './samples/mollie.json';
import openai from './samples/openai.json';
import paddle from './samples/paddle.json';
import pagerduty from './samples/pagerduty.json';
import paypal from './samples/paypal.json';
import paystack from './samples/paystack.json';
import razorpay from './samples/razorpay.json';
import resend from './samples/resend.json';
import salesforce from './samples/salesforce.json';
import sendgrid from './samples/sendgrid.json';
import sentry from './samples/sentry.json';
import shippo from './samples/shippo.json';
import shopify from './samples/shopify.json';
import slack from './samples/slack.json';
import square from './samples/square.json';
import standardWebhooks from './samples/standard-webhooks.json';
import stripe from './samples/stripe.json';
import svix from './samples/svix.json';
import telegram from './samples/telegram.json';
import travis from './samples/travis.json';
import twilio from './samples/twilio.json';
import typeform from './samples/typeform.json';
import vercel from './samples/vercel.json';
import websub from './samples/websub.json';
import woocommerce from './samples/woocommerce.json';
import x from './samples/x.json';
import youtube from './samples/youtube.json';
import zoom from './samples/zoom.json';

/** By the platform's name. */
const documented: Readonly<Record<string, SampleFile>> = {
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
  // Forgejo sends the same with its own headers beside Gitea's.
  forgejo: { ...gitea, shared: merge<SampleParts>(gitea.shared, forgejo) },
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
  if (own !== undefined) return documentedSamples(own);
  const generic = genericSample(platform);
  return generic === undefined ? [] : [generic];
}
