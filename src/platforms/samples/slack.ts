/* https://docs.slack.dev/apis/events-api, https://docs.slack.dev/interactivity */
import { type Fresh, formRequest, jsonRequest, type Sample, type SampleRequest } from '../engine/sample.ts';

const headers = { 'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)', Accept: '*/*' };
const teamId = 'T0KRQLJ4H';
const appId = 'A0KRD7HC3';

const message = (fresh: Fresh, event: object): SampleRequest =>
  jsonRequest(headers, {
    token: fresh.text(24),
    team_id: teamId,
    api_app_id: appId,
    event: { ...event, ts: `${fresh.seconds}.000200`, event_ts: `${fresh.seconds}.000200` },
    type: 'event_callback',
    event_id: `Ev${fresh.text(9).toUpperCase()}`,
    event_time: fresh.seconds,
    authorizations: [{ enterprise_id: null, team_id: teamId, user_id: 'U0LAN0Z89', is_bot: true }],
    is_ext_shared_channel: false,
  });

const command = (fresh: Fresh): SampleRequest =>
  formRequest(headers, {
    token: fresh.text(24),
    team_id: teamId,
    team_domain: 'example',
    channel_id: 'C2147483705',
    channel_name: 'general',
    user_id: 'U2147483697',
    user_name: 'steve',
    command: '/weather',
    text: '94070',
    api_app_id: appId,
    response_url: `https://hooks.slack.com/commands/${teamId}/${fresh.digits(12)}/${fresh.text(24)}`,
    trigger_id: `${fresh.digits(11)}.${fresh.digits(10)}.${fresh.hex(32)}`,
  });

const action = (fresh: Fresh): SampleRequest =>
  formRequest(headers, {
    payload: JSON.stringify({
      type: 'block_actions',
      user: { id: 'U2147483697', username: 'steve', name: 'steve', team_id: teamId },
      api_app_id: appId,
      token: fresh.text(24),
      container: { type: 'message', message_ts: `${fresh.seconds}.000200`, channel_id: 'C2147483705' },
      trigger_id: `${fresh.digits(11)}.${fresh.digits(10)}.${fresh.hex(32)}`,
      team: { id: teamId, domain: 'example' },
      channel: { id: 'C2147483705', name: 'general' },
      response_url: `https://hooks.slack.com/actions/${teamId}/${fresh.digits(12)}/${fresh.text(24)}`,
      actions: [
        {
          action_id: 'approve',
          block_id: '=qXel',
          text: { type: 'plain_text', text: 'Approve', emoji: true },
          value: 'click_me_123',
          type: 'button',
          action_ts: `${fresh.seconds}.426417`,
        },
      ],
    }),
  });

export const slack: readonly Sample[] = [
  {
    name: 'app_mention',
    title: 'App mentioned',
    build: fresh =>
      message(fresh, {
        type: 'app_mention',
        user: 'U061F7AUR',
        text: '<@U0LAN0Z89> is it everything a river should be?',
        channel: 'C123ABC456',
      }),
  },
  {
    name: 'message',
    title: 'Message posted',
    build: fresh =>
      message(fresh, {
        type: 'message',
        channel: 'C123ABC456',
        channel_type: 'channel',
        user: 'U061F7AUR',
        text: 'Live long and prosper.',
      }),
  },
  { name: '/weather', title: 'Slash command', build: command },
  { name: 'block_actions', title: 'Button clicked', build: action },
];
