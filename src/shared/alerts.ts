/* The kinds of alerts and the channels of their notifications: what each takes, and the limits of the settings. */

export const alertKinds = ['silence', 'bad_signatures', 'new_type', 'schema_change', 'forward_stuck'] as const;
export type AlertKind = (typeof alertKinds)[number];

export const defaultAlertMinutes = 5;
export const defaultAlertCount = 3;

/**
 * Which settings a kind takes besides its name and its channel. `offered`: what forms begin with, and what the server uses if the
 * setting is missing and not required. `isCondition`: it begins and ends; the other kinds report something new each time.
 */
export type KindSettings = {
  where: boolean;
  minutes: { offered: number; isRequired: boolean } | undefined;
  count: { offered: number } | undefined;
  isCondition: boolean;
};
const minutes = { offered: defaultAlertMinutes, isRequired: false };
export const kindTakes: Readonly<Record<AlertKind, KindSettings>> = {
  silence: { where: true, minutes: { offered: 30, isRequired: true }, count: undefined, isCondition: true },
  bad_signatures: { where: true, minutes, count: { offered: defaultAlertCount }, isCondition: true },
  new_type: { where: false, minutes: undefined, count: undefined, isCondition: false },
  schema_change: { where: true, minutes: undefined, count: undefined, isCondition: false },
  forward_stuck: { where: false, minutes, count: undefined, isCondition: true },
};
export const maxAlertsPerEndpoint = 20;
export const maxAlertMinutes = 43_200;
export const maxAlertCount = 1000;

export const alertChannels = ['email', 'slack', 'discord', 'ntfy', 'webhook'] as const;
export type AlertChannelType = (typeof alertChannels)[number];

/** Which settings a channel takes: `target` is required. `secret`: `signing` is made by the server if it is missing; `token` is optional. */
export const channelSettings: Readonly<
  Record<AlertChannelType, { target: 'url' | 'to'; secret: 'signing' | 'token' | undefined }>
> = {
  email: { target: 'to', secret: undefined },
  slack: { target: 'url', secret: undefined },
  discord: { target: 'url', secret: undefined },
  ntfy: { target: 'url', secret: 'token' },
  webhook: { target: 'url', secret: 'signing' },
};
export const maxChannelSecretCharacters = 1000;

/** Why a notification was not delivered, if more is known than a message. `rejected`: the receiver responded with an error status. */
export const alertErrorCodes = [
  'not_public',
  'port_not_allowed',
  'channel_unreadable',
  'email_not_set_up',
  'rejected',
] as const;
export type AlertErrorCode = (typeof alertErrorCodes)[number];
