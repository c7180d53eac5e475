import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigNumber } from '../database/big-number.js';

/** The status of an order: it waits for its shipment, or is shipped. */
export type OrderStatus = 'pending' | 'shipped';

/** An order of a customer in one region. */
@Entity('sample_order')
@Index(['region', 'status'])
export class Order {
  /** `north-0001` */
  @PrimaryColumn({ type: 'varchar' })
  number!: string;

  @Column({ type: 'varchar' })
  region!: string;

  @Column({ type: 'integer' })
  amountInCents!: number;

  @Column({ type: 'varchar' })
  status!: OrderStatus;

  /** The instance that shipped it. */
  @Column({ type: 'varchar', nullable: true })
  shippedBy!: string | null;

  /** The fencing token under which it was shipped. */
  @Column({ type: 'bigint', nullable: true, transformer: bigNumber })
  fencingToken!: number | null;
}
