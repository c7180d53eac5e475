import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { bigNumber } from '../database/big-number.js';

/**
 * One line of the run log: an item of a firing was run. Only the library prevents that an item is there twice for a
 * firing.
 */
@Entity('sample_run')
export class Run {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar' })
  jobName!: string;

  @Column({ type: 'integer' })
  item!: number;

  @Column({ type: 'varchar' })
  region!: string;

  /** The instant of the firing in milliseconds since 1970; null for a manual run. */
  @Column({ type: 'bigint', nullable: true, transformer: bigNumber })
  scheduledAt!: number | null;

  /** The instance that ran it. */
  @Column({ type: 'varchar' })
  instance!: string;

  /** The number of orders that were shipped or placed. */
  @Column({ type: 'integer' })
  orders!: number;
}
