/* Mail, telephone and chat. Each sample follows the example of the provider's documentation, which the platform's row links. */
import { type Fresh, formRequest, jsonRequest, type Sample } from '../engine/sample.ts';

const twilioAccount = `AC${'0123456789abcdef'.repeat(2)}`;
const twilioHeaders = (fresh: Fresh) => ({
  'User-Agent': 'TwilioProxy/1.1',
  'I-Twilio-Idempotency-Token': fresh.uuid(),
  Accept: '*/*',
});

export const twilio: readonly Sample[] = [
  {
    name: 'received',
    title: 'Text message received',
    build: fresh => {
      const sid = `SM${fresh.hex(32)}`;
      return formRequest(twilioHeaders(fresh), {
        ToCountry: 'US',
        ToState: 'CA',
        SmsMessageSid: sid,
        NumMedia: '0',
        SmsSid: sid,
        SmsStatus: 'received',
        Body: 'Is the shop open on Sunday?',
        FromCountry: 'US',
        To: '+15558675310',
        NumSegments: '1',
        MessageSid: sid,
        AccountSid: twilioAccount,
        From: '+14155552671',
        ApiVersion: '2010-04-01',
      });
    },
  },
  {
    name: 'delivered',
    title: 'Text message delivered',
    build: fresh => {
      const sid = `SM${fresh.hex(32)}`;
      return formRequest(twilioHeaders(fresh), {
        SmsSid: sid,
        SmsStatus: 'delivered',
        MessageStatus: 'delivered',
        To: '+14155552671',
        MessageSid: sid,
        AccountSid: twilioAccount,
        From: '+15558675310',
        ApiVersion: '2010-04-01',
      });
    },
  },
  {
    name: 'ringing',
    title: 'Incoming call',
    build: fresh =>
      formRequest(twilioHeaders(fresh), {
        AccountSid: twilioAccount,
        ApiVersion: '2010-04-01',
        CallSid: `CA${fresh.hex(32)}`,
        CallStatus: 'ringing',
        Called: '+15558675310',
        Caller: '+14155552671',
        Direction: 'inbound',
        From: '+14155552671',
        To: '+15558675310',
      }),
  },
];

/** The signature of Mailgun is a field of the body. */
const mailgunEvent = (fresh: Fresh, data: object) =>
  jsonRequest(
    { 'User-Agent': 'mailgun/treq-22.4.0' },
    {
      signature: { token: fresh.hex(50), timestamp: String(fresh.seconds), signature: '' },
      'event-data': {
        id: fresh.text(22),
        timestamp: fresh.now / 1000,
        'log-level': 'info',
        recipient: 'alice@example.com',
        'recipient-domain': 'example.com',
        message: {
          headers: {
            to: 'Alice <alice@example.com>',
            'message-id': `${fresh.digits(14)}.1@example.com`,
            from: 'Bob <bob@example.com>',
            subject: 'Test delivered webhook',
          },
          size: 111,
        },
        flags: { 'is-authenticated': true, 'is-test-mode': false },
        tags: [],
        ...data,
      },
    },
  );

export const mailgun: readonly Sample[] = [
  {
    name: 'delivered',
    title: 'Message delivered',
    build: fresh =>
      mailgunEvent(fresh, { event: 'delivered', 'delivery-status': { code: 250, message: 'OK', 'attempt-no': 1 } }),
  },
  {
    name: 'failed',
    title: 'Message failed for good',
    build: fresh =>
      mailgunEvent(fresh, {
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-bounce',
        'log-level': 'error',
        'delivery-status': { code: 605, message: 'Not delivering to previously bounced address', 'attempt-no': 1 },
      }),
  },
];

/** Without the signature, for which SendGrid has a private key. */
export const sendgrid: readonly Sample[] = [
  {
    name: 'delivered',
    title: 'Message delivered',
    build: fresh =>
      jsonRequest({ 'User-Agent': 'SendGrid Event API' }, [
        {
          email: 'alice@example.com',
          timestamp: fresh.seconds,
          'smtp-id': `<${fresh.text(14)}@ismtpd-555>`,
          event: 'delivered',
          category: ['welcome'],
          sg_event_id: fresh.text(22),
          sg_message_id: `${fresh.text(22)}.filterdrecv-${fresh.hex(10)}-0`,
          response: '250 OK',
        },
      ]),
  },
];

const resendEvent = (fresh: Fresh, type: string, more: object = {}) =>
  jsonRequest(
    { 'User-Agent': 'Svix-Webhooks/1.62.0', 'svix-id': `msg_${fresh.text(27)}` },
    {
      type,
      created_at: fresh.iso(-1),
      data: {
        created_at: fresh.iso(-3),
        email_id: fresh.uuid(),
        from: 'Acme <onboarding@example.com>',
        to: ['alice@example.com'],
        subject: 'Sending this example',
        ...more,
      },
    },
  );

export const resend: readonly Sample[] = [
  { name: 'email.delivered', title: 'Email delivered', build: fresh => resendEvent(fresh, 'email.delivered') },
  {
    name: 'email.bounced',
    title: 'Email bounced',
    build: fresh =>
      resendEvent(fresh, 'email.bounced', {
        bounce: { message: 'The mailbox does not exist.', subType: 'General', type: 'Permanent' },
      }),
  },
];

export const telegram: readonly Sample[] = [
  {
    name: 'message',
    title: 'Message to the bot',
    build: fresh => {
      const person = { id: 1111111, first_name: 'Test', last_name: 'Lastname', username: 'Testusername' };
      return jsonRequest(
        {},
        {
          update_id: fresh.number(9),
          message: {
            message_id: fresh.number(4),
            from: { ...person, is_bot: false, language_code: 'en' },
            chat: { ...person, type: 'private' },
            date: fresh.seconds - 1,
            text: '/start',
          },
        },
      );
    },
  },
];

const metaHeaders = { 'User-Agent': 'facebookexternalua', Accept: '*/*' };

export const meta: readonly Sample[] = [
  {
    name: 'whatsapp.message',
    title: 'WhatsApp message received',
    build: fresh =>
      jsonRequest(metaHeaders, {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '102290129340398',
            changes: [
              {
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
                  contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: '16505551234' }],
                  messages: [
                    {
                      from: '16505551234',
                      id: `wamid.${fresh.text(52)}`,
                      timestamp: String(fresh.seconds),
                      type: 'text',
                      text: { body: 'Does it come in another color?' },
                    },
                  ],
                },
                field: 'messages',
              },
            ],
          },
        ],
      }),
  },
  {
    name: 'page.messaging',
    title: 'Messenger message received',
    build: fresh =>
      jsonRequest(metaHeaders, {
        object: 'page',
        entry: [
          {
            id: '682498171943165',
            time: fresh.now,
            messaging: [
              {
                sender: { id: '1254459154682919' },
                recipient: { id: '682498171943165' },
                timestamp: fresh.now - 200,
                message: { mid: `m_${fresh.text(60)}`, text: 'Hi, is this still available?' },
              },
            ],
          },
        ],
      }),
  },
];
