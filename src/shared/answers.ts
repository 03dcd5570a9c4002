/* The limits and choices of rules for custom answers; core/answers/limits.ts has the limits that no form shows. */

export const faults = ['close', 'reset', 'stall'] as const;
export type Fault = (typeof faults)[number];

export const ruleScopes = ['delivery', 'endpoint'] as const;
/** The events that a rule counts together: the attempts of each delivery, or all events of the endpoint. */
export type RuleScope = (typeof ruleScopes)[number];

export const answerEncodings = ['utf8', 'base64'] as const;

export const maxRules = 50;
export const maxRuleNameCharacters = 64;
/** `first` and `every`. */
export const maxCount = 1_000_000;
export const maxRateEvents = 1000;
export const maxRateSeconds = 86_400;
export const minStatus = 200;
export const maxStatus = 599;
export const maxDelayMs = 60_000;
/** The most bytes of a rule's decoded body. */
export const maxBodyBytes = 64 << 10;
export const maxHeaders = 50;
