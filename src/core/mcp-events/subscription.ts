/* The constants of webhook subscriptions that more than one layer needs. */

export const subscriptionQueue = 'subscription';
/** The kind of the queues that tell a callback that its subscription has ended. */
export const terminationQueue = 'subscription-end';
