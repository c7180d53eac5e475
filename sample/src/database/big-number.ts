import { type ValueTransformer } from 'typeorm';

/** Columns of 64 bits, which PostgreSQL returns as text. ZooKeeper's fencing tokens do not fit 32 bits. */
export const bigNumber: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: string | number | null) => (value === null ? null : Number(value)),
};
