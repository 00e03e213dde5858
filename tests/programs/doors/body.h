/* What every door measures: a thousand instructions, and a function that sorts, of another file. */
#ifndef DOORS_BODY_H
#define DOORS_BODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts so many numbers; the median of them. */
long sorted_median(long count);

#ifdef __cplusplus
}
#endif

#define THOUSAND_NOPS __asm__ volatile(".rept 1000\nnop\n.endr")

#endif
