/* Forms, calendars and customers. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, formRequest, jsonRequest, type Sample } from '../engine/sample.ts';

const zoomEvent = (fresh: Fresh, type: string, object: object) =>
  jsonRequest(
    { 'User-Agent': 'Zoom Marketplace/1.0a', 'x-zm-trackingid': `v=2.0;clid=us02;rid=WEB_${fresh.hex(32)}` },
    { event: type, event_ts: fresh.now, payload: { account_id: 'AAAAAABBBB', object } },
  );

const zoomMeeting = (fresh: Fresh) => ({
  id: fresh.digits(10),
  uuid: `${fresh.text(22)}==`,
  host_id: 'x1yCzABCDEfg23HiJKl4mN',
  topic: 'My Meeting',
  type: 8,
  start_time: fresh.iso(-60),
  duration: 60,
  timezone: 'Europe/Berlin',
});

export const zoom: readonly Sample[] = [
  {
    name: 'meeting.started',
    title: 'Meeting started',
    build: fresh => zoomEvent(fresh, 'meeting.started', zoomMeeting(fresh)),
  },
  {
    name: 'meeting.participant_joined',
    title: 'Participant joined',
    build: fresh =>
      zoomEvent(fresh, 'meeting.participant_joined', {
        ...zoomMeeting(fresh),
        participant: {
          user_id: fresh.digits(8),
          user_name: 'Jill Chill',
          email: 'jill@example.com',
          join_time: fresh.iso(-1),
        },
      }),
  },
];

export const typeform: readonly Sample[] = [
  {
    name: 'form_response',
    title: 'Form submitted',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'Typeform Webhooks' },
        {
          event_id: `01${fresh.text(24).toUpperCase()}`,
          event_type: 'form_response',
          form_response: {
            form_id: 'lT4Z3j',
            token: fresh.hex(32),
            landed_at: fresh.iso(-90),
            submitted_at: fresh.iso(-1),
            definition: {
              id: 'lT4Z3j',
              title: 'Webhooks example',
              fields: [
                { id: 'DlXFaesGBpoF', title: 'What is your name?', type: 'short_text', ref: 'name' },
                { id: 'SMEUb7VJz92Q', title: 'How likely are you to recommend us?', type: 'opinion_scale', ref: 'nps' },
              ],
            },
            answers: [
              { type: 'text', text: 'Ada Lovelace', field: { id: 'DlXFaesGBpoF', type: 'short_text', ref: 'name' } },
              { type: 'number', number: 9, field: { id: 'SMEUb7VJz92Q', type: 'opinion_scale', ref: 'nps' } },
            ],
          },
        },
      ),
  },
];

const calendlyEvent = (fresh: Fresh, type: string, status: string) => {
  const invitee = `https://api.calendly.com/scheduled_events/${fresh.uuid()}/invitees/${fresh.uuid()}`;
  return jsonRequest(
    { 'User-Agent': 'Calendly' },
    {
      created_at: fresh.iso(-1),
      created_by: 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA',
      event: type,
      payload: {
        uri: invitee,
        name: 'John Doe',
        email: 'john@example.com',
        status,
        timezone: 'Europe/Berlin',
        questions_and_answers: [],
        rescheduled: false,
        scheduled_event: {
          uri: invitee.slice(0, invitee.indexOf('/invitees')),
          name: '15 Minute Meeting',
          start_time: fresh.iso(86_400),
          end_time: fresh.iso(87_300),
          status: 'active',
        },
        created_at: fresh.iso(-2),
        updated_at: fresh.iso(-1),
      },
    },
  );
};

export const calendly: readonly Sample[] = [
  {
    name: 'invitee.created',
    title: 'Event scheduled',
    build: fresh => calendlyEvent(fresh, 'invitee.created', 'active'),
  },
  {
    name: 'invitee.canceled',
    title: 'Event canceled',
    build: fresh => calendlyEvent(fresh, 'invitee.canceled', 'canceled'),
  },
];

export const intercom: readonly Sample[] = [
  {
    name: 'conversation.user.created',
    title: 'Conversation started',
    build: fresh =>
      jsonRequest(
        { 'User-Agent': 'intercom-webhooks/1.0', Accept: '*/*' },
        {
          type: 'notification_event',
          app_id: 'a86dr8yl',
          id: `notif_${fresh.uuid()}`,
          topic: 'conversation.user.created',
          created_at: fresh.seconds,
          delivery_attempts: 1,
          first_sent_at: fresh.seconds,
          data: {
            type: 'notification_event_data',
            item: {
              type: 'conversation',
              id: fresh.digits(13),
              created_at: fresh.seconds - 1,
              updated_at: fresh.seconds - 1,
              source: {
                type: 'conversation',
                subject: '<p>Where is my order?</p>',
                body: '<p>I ordered a week ago.</p>',
                author: { type: 'user', id: fresh.hex(24), name: 'Joe Example', email: 'joe@example.com' },
              },
              state: 'open',
              open: true,
              read: false,
            },
          },
        },
      ),
  },
];

const hubspotEvent = (fresh: Fresh, type: string, more: object) =>
  jsonRequest(
    {
      'User-Agent':
        'HubSpot Connect 2.0 (http://dev.hubspot.com/) (namespace: webhooks-nio-http-client) - WebhooksExecutorDaemon-executor',
    },
    [
      {
        eventId: fresh.number(9),
        subscriptionId: 12345,
        portalId: 62515,
        appId: 54321,
        occurredAt: fresh.now - 1000,
        subscriptionType: type,
        attemptNumber: 0,
        objectId: fresh.number(6),
        changeSource: 'CRM',
        ...more,
      },
    ],
  );

export const hubspot: readonly Sample[] = [
  {
    name: 'contact.creation',
    title: 'Contact created',
    build: fresh => hubspotEvent(fresh, 'contact.creation', { changeFlag: 'NEW' }),
  },
  {
    name: 'deal.propertyChange',
    title: 'Deal changed',
    build: fresh =>
      hubspotEvent(fresh, 'deal.propertyChange', { propertyName: 'dealstage', propertyValue: 'closedwon' }),
  },
];

/** The hash in `event` is the signature. */
export const dropboxSign: readonly Sample[] = [
  {
    name: 'signature_request_signed',
    title: 'Document signed',
    build: fresh =>
      formRequest(
        { 'User-Agent': 'HelloSign API' },
        {
          json: JSON.stringify({
            event: {
              event_time: String(fresh.seconds),
              event_type: 'signature_request_signed',
              event_hash: 'unsigned',
              event_metadata: { related_signature_id: fresh.hex(32), reported_for_account_id: fresh.hex(40) },
            },
            signature_request: {
              signature_request_id: fresh.hex(40),
              title: 'Purchase order',
              is_complete: false,
              signatures: [{ signature_id: fresh.hex(32), signer_name: 'George', status_code: 'signed' }],
            },
          }),
        },
      ),
  },
];

/** The clientState is the signature. */
export const microsoftGraph: readonly Sample[] = [
  {
    name: 'created',
    title: 'Message received',
    build: fresh => {
      const id = fresh.text(40);
      return jsonRequest(
        { 'User-Agent': 'Microsoft Graph' },
        {
          value: [
            {
              id: fresh.uuid(),
              subscriptionId: fresh.uuid(),
              subscriptionExpirationDateTime: fresh.iso(86_400),
              clientState: 'unsigned',
              changeType: 'created',
              resource: `users/ada@example.com/messages/${id}`,
              tenantId: '84bd8158-6d4d-4958-8b9f-9d6445542f95',
              resourceData: { '@odata.type': '#Microsoft.Graph.Message', id },
            },
          ],
        },
      );
    },
  },
];
