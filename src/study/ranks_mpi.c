// Messages by MPI: see ranks.h. Bytes only; both ends are the same program.
#include "study/ranks.h"

#include "part_stamp.h"

#include <limits.h>
#include <mpi.h>

static bool begin(int* rank, int* count)
{
    int ready = 0;
    MPI_Initialized(&ready);
    return (ready || MPI_Init(NULL, NULL) == MPI_SUCCESS) && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

static void end(void)
{
    int begun = 0, over = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (begun && !over)
        MPI_Finalize();
}

static bool send_bytes(int to, const void* message, size_t size)
{
    return size <= INT_MAX && MPI_Send(message, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool receive_bytes(int* from, void* message, size_t room)
{
    MPI_Status status;
    int source = *from < 0 ? MPI_ANY_SOURCE : *from;
    if (room > INT_MAX || MPI_Recv(message, (int)room, MPI_BYTE, source, 0, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
        return false;
    *from = status.MPI_SOURCE;
    return true;
}

const PartHead* kairos_part(void)
{
    static const RanksPart part = {
        .head = {sizeof part, PART_STAMP}, .begin = begin, .end = end, .send = send_bytes, .receive = receive_bytes};
    return &part.head;
}
