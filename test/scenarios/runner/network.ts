import { type Deliver, type Delivery, deliverSoon } from '../../../lib/registry/embedded/delivery.js';

/** At which write of whom something is to happen. */
export interface Appointment {
  readonly name: string;
  /** 1 is the next write. */
  readonly write: number;
  /**
   * Called when the write is sent, with its description; returns what is to be done once the server has carried it out.
   */
  readonly onWrite: (what: string) => (() => void) | undefined;
}

const WRITES =
  /^(create|write|remove|commit changes of|queue for a hold of|give up the hold of|read the time through) /;

/** All messages between the instances and the registry: counts them, and lets things happen at a given write. */
export class Network {
  readonly #names = new Map<string, string>();
  readonly #requests = new Map<string, number>();
  #appointment: { readonly of: Appointment; left: number } | undefined;
  /** Name of who is connecting for the first time. */
  newcomer = '';

  /** To be given to the cluster. */
  readonly deliver: Deliver = (delivery) => {
    const [, centre] = /^(centre \d+) → server$/.exec(delivery.channel) ?? [];
    if (centre === undefined) return deliverSoon(delivery);
    if (!this.#names.has(centre)) this.#names.set(centre, this.newcomer);
    const name = this.#names.get(centre) ?? '';
    this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1);
    this.#carry(name, delivery);
  };

  /** Requests of that instance since the last call for it. */
  takeRequests(name: string): number {
    const requests = this.#requests.get(name) ?? 0;
    this.#requests.delete(name);
    return requests;
  }

  /** Makes something happen at a write that is to come; at most one such thing at a time. */
  appoint(appointment: Appointment): void {
    this.#appointment = { of: appointment, left: appointment.write };
  }

  /** True if a planned fault has not happened yet. */
  get isWaiting(): boolean {
    return this.#appointment !== undefined;
  }

  #carry(name: string, delivery: Delivery): void {
    const appointment = this.#appointment;
    const isMet = appointment?.of.name === name && WRITES.test(delivery.what) && --appointment.left === 0;
    if (!isMet) return deliverSoon(delivery);
    this.#appointment = undefined;
    const afterwards = appointment.of.onWrite(delivery.what);
    deliverSoon({
      ...delivery,
      arrive: () => {
        delivery.arrive();
        afterwards?.();
      },
    });
  }
}
