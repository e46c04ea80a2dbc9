/** The filters of a webhook's deliveries, as the address has them. */
export interface DeliverySearch {
  readonly delivery?: 'pending' | 'succeeded' | 'failed';
  readonly event?: string;
}

/** Keeps what is a filter; whatever else an address says is left out. */
export function deliverySearch(given: object): DeliverySearch {
  const delivery: unknown = Reflect.get(given, 'delivery');
  const event: unknown = Reflect.get(given, 'event');
  return {
    ...((delivery === 'pending' || delivery === 'succeeded' || delivery === 'failed') && {
      delivery,
    }),
    ...(typeof event === 'string' && event !== '' && { event }),
  };
}
