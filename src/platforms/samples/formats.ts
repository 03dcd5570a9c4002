/* Senders whose deliveries have a special form, from the documentation that their rows link. */
import { formRequest, jsonRequest, type Sample } from '../engine/sample.ts';

export const cloudflareStream: readonly Sample[] = [
  {
    name: 'ready',
    title: 'Video ready',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Cloudflare-Stream' },
        {
          uid: fresh.hex(32),
          readyToStream: true,
          status: { state: 'ready', pctComplete: '100.000000' },
          meta: { name: 'small.mp4' },
          created: fresh.iso(-60),
          modified: fresh.iso(-1),
          size: 4190963,
          duration: 5.5,
        },
      ),
  },
];

export const dockerhub: readonly Sample[] = [
  {
    name: 'push',
    title: 'Image pushed',
    build: fresh => {
      const repository = 'svendowideit/testhook';
      return jsonRequest(
        { 'User-Agent': 'Go-http-client/1.1' },
        {
          callback_url: `https://registry.hub.docker.com/u/${repository}/hook/${fresh.text(31)}/`,
          push_data: { pushed_at: fresh.seconds, pusher: 'trustedbuilder', tag: 'latest' },
          repository: { name: 'testhook', namespace: 'svendowideit', repo_name: repository, status: 'Active' },
        },
      );
    },
  },
];

/** Without the token, for which Google has a private key. */
export const googlePubsub: readonly Sample[] = [
  {
    name: 'message',
    title: 'Message pushed',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)' },
        {
          message: {
            attributes: { eventType: 'OBJECT_FINALIZE' },
            data: Buffer.from('Hello Cloud Pub/Sub! Here is my message!').toString('base64'),
            messageId: fresh.digits(16),
            publishTime: fresh.iso(-1),
          },
          subscription: 'projects/myproject/subscriptions/mysubscription',
        },
      ),
  },
];

export const microsoftTeams: readonly Sample[] = [
  {
    name: 'message',
    title: 'Message to the webhook',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Microsoft-SkypeBotApi (Microsoft-BotFramework/3.0)' },
        {
          type: 'message',
          id: String(fresh.now),
          timestamp: fresh.iso(-1),
          serviceUrl: 'https://smba.trafficmanager.net/emea/',
          channelId: 'msteams',
          from: { id: `29:${fresh.text(60)}`, name: 'Ada Lovelace' },
          conversation: { isGroup: true, id: `19:${fresh.hex(32)}@thread.tacv2` },
          text: '<at>Webhook</at> Hello!',
        },
      ),
  },
];

export const salesforce: readonly Sample[] = [
  {
    name: 'Account',
    title: 'Account changed',
    build: fresh => ({
      ...jsonRequest(
        { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '""', 'User-Agent': 'SFDC-Callout' },
        null,
      ),
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n' +
        ' <soapenv:Body>\n  <notifications xmlns="http://soap.sforce.com/2005/09/outbound">\n' +
        '   <OrganizationId>00D300000000abcEAA</OrganizationId>\n   <ActionId>04k300000000abcAAA</ActionId>\n' +
        `   <Notification>\n    <Id>04l3${fresh.text(14)}</Id>\n` +
        '    <sObject xsi:type="sf:Account" xmlns:sf="urn:sobject.enterprise.soap.sforce.com">\n' +
        `     <sf:Id>0013${fresh.text(14)}</sf:Id>\n     <sf:Name>Acme</sf:Name>\n` +
        '    </sObject>\n   </Notification>\n  </notifications>\n </soapenv:Body>\n</soapenv:Envelope>\n',
    }),
  },
];

const atom = (entry: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">\n' +
  `${entry}</feed>\n`;

const atomHeaders = (topic: string) => ({
  'Content-Type': 'application/atom+xml',
  'User-Agent': 'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)',
  Link: `<https://pubsubhubbub.appspot.com/>; rel=hub, <${topic}>; rel=self`,
});

export const youtube: readonly Sample[] = [
  {
    name: 'entry',
    title: 'Video published',
    build: fresh => {
      const video = fresh.text(11);
      const channel = 'UCK8sQmJBp8GCxrOtXWBpyEA';
      return {
        ...jsonRequest(atomHeaders(`https://www.youtube.com/xml/feeds/videos.xml?channel_id=${channel}`), null),
        body: atom(
          ` <entry>\n  <id>yt:video:${video}</id>\n  <yt:videoId>${video}</yt:videoId>\n  <yt:channelId>${channel}</yt:channelId>\n` +
            `  <title>Video title</title>\n  <published>${fresh.iso(-60)}</published>\n  <updated>${fresh.iso(-1)}</updated>\n </entry>\n`,
        ),
      };
    },
  },
];

export const websub: readonly Sample[] = [
  {
    name: 'entry',
    title: 'Feed changed',
    build: fresh => ({
      ...jsonRequest(atomHeaders('https://blog.example.com/feed'), null),
      body: atom(
        ` <entry>\n  <id>urn:uuid:${fresh.uuid()}</id>\n  <title>A new post</title>\n  <updated>${fresh.iso(-1)}</updated>\n </entry>\n`,
      ),
    }),
  },
];

export const dropbox: readonly Sample[] = [
  {
    name: 'list_folder',
    title: 'Files changed',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'DropboxWebhooks/1.0' },
        {
          list_folder: { accounts: [`dbid:${fresh.text(34)}`] },
          delta: { users: [fresh.number(8)] },
        },
      ),
  },
];

export const x: readonly Sample[] = [
  {
    name: 'tweet_create_events',
    title: 'Post created',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Twitterbot/1.0' },
        {
          for_user_id: '2244994945',
          tweet_create_events: [
            {
              created_at: fresh.iso(-1),
              id_str: fresh.digits(19),
              text: 'Hello, world!',
              user: { id_str: '6253282', name: 'API', screen_name: 'TwitterAPI' },
            },
          ],
        },
      ),
  },
];

export const line: readonly Sample[] = [
  {
    name: 'message',
    title: 'Message to the bot',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'LineBotWebhook/2.0' },
        {
          destination: `U${fresh.hex(32)}`,
          events: [
            {
              type: 'message',
              message: { type: 'text', id: fresh.digits(18), text: 'Hello, world' },
              webhookEventId: `01${fresh.text(24).toUpperCase()}`,
              deliveryContext: { isRedelivery: false },
              timestamp: fresh.now,
              source: { type: 'user', userId: `U${fresh.hex(32)}` },
              replyToken: fresh.hex(32),
              mode: 'active',
            },
          ],
        },
      ),
  },
];

export const azureEventGrid: readonly Sample[] = [
  {
    name: 'Microsoft.Storage.BlobCreated',
    title: 'Blob created',
    build: fresh =>
      jsonRequest({ 'aeg-event-type': 'Notification', 'aeg-subscription-name': 'HOOKS', 'aeg-delivery-count': '0' }, [
        {
          id: fresh.uuid(),
          eventType: 'Microsoft.Storage.BlobCreated',
          subject: '/blobServices/default/containers/files/blobs/report.pdf',
          topic: '/subscriptions/319a9601/resourceGroups/example/providers/Microsoft.Storage/storageAccounts/example',
          eventTime: fresh.iso(-1),
          dataVersion: '',
          metadataVersion: '1',
          data: { api: 'PutBlob', contentType: 'application/pdf', contentLength: 524288 },
        },
      ]),
  },
];

export const mandrill: readonly Sample[] = [
  {
    name: 'send',
    title: 'Message sent',
    build: fresh =>
      formRequest(
        { 'User-Agent': 'Mandrill-Webhook/1.0' },
        {
          mandrill_events: JSON.stringify([
            {
              event: 'send',
              _id: fresh.hex(32),
              ts: fresh.seconds - 1,
              msg: { _id: fresh.hex(32), email: 'alice@example.com', subject: 'Welcome', state: 'sent', tags: [] },
            },
          ]),
        },
      ),
  },
];
