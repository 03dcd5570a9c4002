/* The limits of a rule for custom answers. The server checks them, and so does the dashboard's form while the user types. */

/** `first` and `every`. */
export const maxCount = 1_000_000;
export const maxRateEvents = 1000;
export const maxRateSeconds = 86_400;
export const maxDelayMs = 60_000;
